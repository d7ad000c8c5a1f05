// The timing wheel against a sorted list.
#include "runtime/fleet/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace gputide::runtime {
namespace {

std::vector<schedule::item> taken(schedule& from, std::int64_t now_ms, std::size_t most = 1'000'000) {
    std::vector<schedule::item> out;
    from.take(now_ms, most, out);
    return out;
}

TEST(Schedule, GivesEachEntryAtItsTimeAndNotBefore) {
    schedule on;
    on.add({5'000, 1, 0});
    on.add({70'000, 2, 0});
    on.add({5'001, 3, 0});
    EXPECT_EQ(on.next_ms(), 5'000);
    EXPECT_TRUE(taken(on, 4'999).empty());
    EXPECT_EQ(on.next_ms(), 5'000);
    const auto first = taken(on, 5'000);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].key, 1U);
    EXPECT_EQ(on.next_ms(), 5'001);
    const auto rest = taken(on, 1'000'000);
    ASSERT_EQ(rest.size(), 2U);
    EXPECT_EQ(rest[0].key, 3U);
    EXPECT_EQ(rest[1].key, 2U);
    EXPECT_EQ(on.next_ms(), schedule::never);
    EXPECT_EQ(on.size(), 0U);
}

TEST(Schedule, WhatIsLateIsDueAtOnce) {
    schedule on;
    EXPECT_TRUE(taken(on, 123'456'789).empty());
    on.add({7, 1, 9});
    EXPECT_EQ(on.next_ms(), 123'456'789);
    const auto got = taken(on, 123'456'789);
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].due_ms, 7);
    EXPECT_EQ(got[0].stamp, 9U);
}

TEST(Schedule, TakesNoMoreThanAskedForAndKeepsTheRestDue) {
    schedule on;
    for (std::uint32_t i = 0; i < 1'000; ++i) on.add({100, i, 0});
    EXPECT_EQ(taken(on, 5'000, 300).size(), 300U);
    EXPECT_EQ(on.size(), 700U);
    EXPECT_EQ(on.next_ms(), 100);
    EXPECT_EQ(taken(on, 5'000).size(), 700U);
}

TEST(Schedule, TimesBeyondTheWheelAreHeld) {
    schedule on;
    on.add({schedule::never - 1, 1, 0});
    on.add({std::int64_t{1} << 41, 2, 0});
    EXPECT_TRUE(taken(on, std::int64_t{1} << 40).empty());
    EXPECT_EQ(taken(on, std::int64_t{1} << 41).size(), 1U);
    EXPECT_EQ(on.size(), 1U);
}

// Random adds and steps of all sizes; a multimap is the truth.
TEST(Schedule, AgreesWithASortedList) {
    std::mt19937_64 random(7);
    schedule on;
    std::multimap<std::int64_t, std::uint32_t> truth;
    std::int64_t now = 0;
    std::uint32_t key = 0;
    for (int round = 0; round < 20'000; ++round) {
        for (std::uint64_t i = random() % 5; i > 0; --i) {
            const std::int64_t due = now - 50 + static_cast<std::int64_t>(random() >> (30 + random() % 34));
            truth.emplace(due, key);
            on.add({due, key++, 0});
        }
        const std::int64_t next = truth.empty() ? schedule::never : truth.begin()->first;
        if (next > now) {
            ASSERT_EQ(on.next_ms(), next);
        } else {
            ASSERT_LE(on.next_ms(), now);
        }
        now += static_cast<std::int64_t>(random() >> (34 + random() % 30));
        for (const schedule::item& item : taken(on, now, random() % 8 == 0 ? 2 : 1'000'000)) {
            ASSERT_LE(item.due_ms, now);
            const auto [from, to] = truth.equal_range(item.due_ms);
            const auto found = std::find_if(from, to, [&](const auto& entry) { return entry.second == item.key; });
            ASSERT_NE(found, to) << "an entry came twice, or at another time";
            truth.erase(found);
        }
        ASSERT_EQ(on.size(), truth.size());
    }
}

}  // namespace
}  // namespace gputide::runtime
