// The timing wheel against a sorted list.
#include "runtime/fleet/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <vector>

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

// The clock of a fleet: forward alone, and a stall is not a time.

TEST(PollClock, FollowsAClockThatRunsEvenly) {
    poll_clock on;
    on.advance(1'000'000, schedule::never);
    EXPECT_EQ(on.now_ms(), 0);
    on.advance(1'010'000, 10'000);
    EXPECT_EQ(on.now_ms(), 10'000);
    on.advance(1'010'100, 10'100);
    EXPECT_EQ(on.now_ms(), 10'100);
    EXPECT_EQ(on.stalls(), 0U);
}

TEST(PollClock, AClockSetBackMovesNothing) {
    poll_clock on;
    on.advance(1'000'000, schedule::never);
    on.advance(1'005'000, 5'000);
    on.advance(5'000, 6'000);
    EXPECT_EQ(on.now_ms(), 5'000);
    on.advance(5'500, 6'000);
    EXPECT_EQ(on.now_ms(), 5'500);
    EXPECT_EQ(on.steps_back(), 1U);
}

// An hour's sleep with a poll planned a second later: that poll is due, what stands behind it keeps its distance.
TEST(PollClock, AStallCountsAsIfTimeHadStoodStill) {
    poll_clock on;
    on.advance(0, schedule::never);
    on.advance(100, 1'100);
    on.advance(3'600'100, 1'100);
    EXPECT_GE(on.now_ms(), 1'100);
    EXPECT_LE(on.now_ms(), 1'100 + 250);
    EXPECT_EQ(on.elapsed_ms(), 3'600'100);
    EXPECT_EQ(on.stalls(), 1U);
}

// A host that comes by once a second, whatever it was told, loses no time.
TEST(PollClock, ACoarseHostIsTakenAsItComes) {
    poll_clock on;
    on.advance(0, schedule::never);
    on.advance(1'000, 10);
    const std::int64_t lost_ms = on.stalled_ms();
    for (std::int64_t now = 2'000; now <= 60'000; now += 1'000) on.advance(now, on.now_ms() + 10);
    EXPECT_EQ(on.stalled_ms(), lost_ms);
    EXPECT_LE(lost_ms, 1'000);
}

TEST(PollClock, AbsurdClocksAreHeld) {
    poll_clock on;
    on.advance(std::numeric_limits<std::int64_t>::min(), schedule::never);
    on.advance(std::numeric_limits<std::int64_t>::max(), schedule::never);
    on.advance(0, schedule::never);
    on.advance(std::numeric_limits<std::int64_t>::max(), schedule::never);
    EXPECT_GE(on.now_ms(), 0);
}

TEST(StartOffset, IsTheSameForTheSameNameAndSeedAndSpreadEvenly) {
    EXPECT_EQ(start_offset_ms("default/a", 1, 15'000), start_offset_ms("default/a", 1, 15'000));
    EXPECT_NE(start_offset_ms("default/a", 1, 15'000), start_offset_ms("default/a", 2, 15'000));
    std::vector<int> per_second(15);
    for (int i = 0; i < 15'000; ++i) {
        const std::int64_t at = start_offset_ms("default/model-" + std::to_string(i), 0, 15'000);
        ASSERT_GE(at, 0);
        ASSERT_LT(at, 15'000);
        ++per_second[static_cast<std::size_t>(at / 1'000)];
    }
    for (const int count : per_second) EXPECT_NEAR(count, 1'000, 150);
}

}  // namespace
}  // namespace gputide::runtime
