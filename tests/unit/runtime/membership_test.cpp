// Tests which scaler belongs to a fleet, in which order they are looked through, and which number an event carries.
#include "fleet_support.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gputide::runtime {
namespace {

std::vector<scaler_id> all_of(const fleet& scalers) {
    std::vector<scaler_id> out;
    for (auto next = scalers.next_scaler(0); next; next = scalers.next_scaler(*next)) out.push_back(*next);
    return out;
}

TEST(Membership, EachComesOnceAndThenNotFound) {
    world w;
    EXPECT_EQ(w.fleet.next_scaler(0).failure().status, status::not_found);
    std::set<scaler_id> added;
    for (int i = 0; i < 20; ++i) added.insert(w.add_text(pushed("demo-" + std::to_string(i))));
    const std::vector<scaler_id> seen = all_of(w.fleet);
    EXPECT_EQ(std::set<scaler_id>(seen.begin(), seen.end()), added);
    EXPECT_EQ(seen.size(), added.size());
    EXPECT_EQ(w.fleet.next_scaler(seen.back()).failure().status, status::not_found);
}

TEST(Membership, WhoStaysComesOnceWhileOthersComeAndGo) {
    world w;
    std::vector<scaler_id> added;
    for (int i = 0; i < 10; ++i) added.push_back(w.add_text(pushed("demo-" + std::to_string(i))));
    std::multiset<scaler_id> seen;
    scaler_id last = 0;
    for (int turn = 0;; ++turn) {
        const auto next = w.fleet.next_scaler(last);
        if (!next) break;
        last = *next;
        seen.insert(last);
        if (last == added[3]) {
            ASSERT_TRUE(w.fleet.remove(added[3]));  // the one that it stands on
            ASSERT_TRUE(w.fleet.remove(added[0]));
            w.add_text(pushed("late"));
        }
    }
    for (const std::size_t stays : {1U, 2U, 4U, 5U, 6U, 7U, 8U, 9U}) EXPECT_EQ(seen.count(added[stays]), 1U) << stays;
}

TEST(Membership, WhatIsNotThereIsNotFound) {
    world w;
    const scaler_id id = w.add("demo");
    ASSERT_TRUE(w.fleet.remove(id));
    const sample none;
    decide::decision decision;
    EXPECT_EQ(w.fleet.remove(id).failure().status, status::not_found);
    EXPECT_EQ(w.fleet.find("default/demo").failure().status, status::not_found);
    EXPECT_EQ(w.fleet.observe(id, {}).failure().status, status::not_found);
    EXPECT_EQ(w.fleet.push(id, {&none, 1}).failure().status, status::not_found);
    EXPECT_EQ(w.fleet.record(id, decision, true, 1).failure().status, status::not_found);
    EXPECT_EQ(w.fleet.save(id).failure().status, status::not_found);
    EXPECT_EQ(w.fleet.load(id, "{}").failure().status, status::not_found);
    EXPECT_EQ(w.fleet.describe(id).failure().status, status::not_found);
    EXPECT_EQ(w.fleet.replace(id, w.spec("demo"), {}).failure().status, status::not_found);
}

TEST(Membership, TheHostsTagComesBack) {
    fleet_options options;
    options.every_decision = true;
    world w(options);
    w.answer(5.0);
    constexpr std::uint64_t tag = 0xFFFFFFFFFFFFFFFF;  // a number that no double holds
    const auto id = w.fleet.add(w.spec("demo"), {}, tag);
    ASSERT_TRUE(id);
    w.observe(*id, 1);
    const auto tag_of_next = [&] {
        w.run(15'000);
        const auto event = w.fleet.take_event();
        EXPECT_TRUE(event);
        return event ? event->tag : 0;
    };
    EXPECT_EQ(tag_of_next(), tag);
    ASSERT_TRUE(w.fleet.replace(*id, w.spec("demo", 50), {}));
    EXPECT_EQ(tag_of_next(), tag) << "another manifest keeps it";
    ASSERT_TRUE(w.fleet.replace(*id, w.spec("demo", 50), {}, 7));
    EXPECT_EQ(tag_of_next(), 7U);
    EXPECT_NE(w.fleet.describe(*id)->find("\"tag\":7,"), std::string::npos) << *w.fleet.describe(*id);
}

}  // namespace
}  // namespace gputide::runtime
