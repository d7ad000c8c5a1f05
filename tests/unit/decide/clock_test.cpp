// A clock that ran ahead and was corrected holds nothing longer than once more.
#include "decide/hpa/behavior.hpp"
#include "decide/state/state.hpp"
#include "decide/state/text.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "dice.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace gputide::decide {

namespace {

using scene::driven;
using scene::value;

constexpr std::int64_t one_day_ms = 86'400'000;
constexpr std::int64_t sync_ms = 15'000;

using survival = std::function<void(driven&)>;

void stay(driven&) {}
void save_and_load(driven& one) {
    const result<state> back = load_state(one.by, save_state(one.by, one.with));
    ASSERT_TRUE(back.ok()) << back.failure().message;
    one.with = *back;
}

std::vector<survival> both_survivals() { return {stay, save_and_load}; }

policy with_profile(policy by, manifest::profile profile) {
    by.scaling.extra.profile = profile;
    return by;
}

// When the size first fell, counted from the correction; -1: not within the hour after it.
std::int64_t first_fall_ms(driven& one, double load) {
    const std::int32_t before = one.replicas;
    for (std::int64_t at = sync_ms; at <= 3'600'000; at += sync_ms) {
        one.tick(at, {value(load)});
        if (one.replicas < before) return at;
    }
    return -1;
}

TEST(Clock, AWindowHoldsOnceMore) {
    for (const auto profile : {manifest::profile::standard, manifest::profile::strict}) {
        for (const survival& survive : both_survivals()) {
            for (const bool behavior : {false, true}) {
                driven one(with_profile(scene::hpa(), profile), 10);
                if (behavior) one.by.scaling.behavior = scene::default_behavior();
                one.tick(0, {value(50)});
                one.tick(one_day_ms, {value(50)});  // the clock is a day ahead, once
                survive(one);
                const std::int64_t fell_ms = first_fall_ms(one, 10);
                EXPECT_GE(fell_ms, 300'000);
                EXPECT_LE(fell_ms, 330'000);
            }
        }
    }
}

TEST(Clock, ACooldownRunsOnceMore) {
    for (const survival& survive : both_survivals()) {
        driven one(scene::scaled_object(0), 1);
        one.tick(one_day_ms, {value(5)});
        survive(one);
        const std::int64_t fell_ms = first_fall_ms(one, 0);
        EXPECT_GE(fell_ms, 300'000);
        EXPECT_LE(fell_ms, 345'000);
    }
}

TEST(Clock, ARateBudgetIsSpentOnceMore) {
    for (const survival& survive : both_survivals()) {
        driven one(scene::hpa(1, 100), 10);
        one.by.scaling.behavior = scene::default_behavior();
        one.by.scaling.behavior->up.policies = {{manifest::policy_type::pods, 4, 60}};
        one.tick(one_day_ms, {value(500)});
        ASSERT_EQ(one.replicas, 14);
        survive(one);
        one.tick(0, {value(500)});
        EXPECT_EQ(one.replicas, 14);
        one.tick(60'000, {value(500)});
        EXPECT_EQ(one.replicas, 18);
    }
}

TEST(Clock, AnInitialCooldownRunsFromNow) {
    driven one(scene::scaled_object(0), 1);
    one.by.scaling.initial_cooldown_s = 60;
    one.with = make_state(one.by, scene::start_ms + one_day_ms);
    one.tick(0, {value(0)});
    EXPECT_EQ(one.replicas, 1);
    one.tick(90'000, {value(0)});
    EXPECT_EQ(one.replicas, 0);
}

TEST(Clock, NoTimeStaysAhead) {
    driven one(scene::scaled_object(0), 2);
    one.by.scaling.behavior = scene::default_behavior();
    one.by.metrics[0].use_cached = true;
    one.tick(0, {value(5, scene::start_ms)});
    one.tick(one_day_ms, {value(50, scene::start_ms + one_day_ms)});
    ASSERT_GT(newest_time_of(one.with), scene::start_ms + one_day_ms - 1);
    const decision made = one.look(sync_ms, {value(50, scene::start_ms + sync_ms)});
    EXPECT_TRUE(made.executor_ran && made.hpa_ran);
    EXPECT_LE(newest_time_of(one.with), scene::start_ms + sync_ms);
    EXPECT_LE(one.with.health[0].last.time_ms, scene::start_ms + sync_ms);
    for (const condition& condition : made.conditions) EXPECT_LE(condition.since_ms, scene::start_ms + sync_ms);
    EXPECT_LE(made.next_due_ms, scene::start_ms + 2 * sync_ms);
}

TEST(Clock, TheTraceSaysSo) {
    driven one(scene::hpa(), 10);
    one.tick(one_day_ms, {value(50)});
    trace why;
    const decision made = one.look(0, {value(50)}, &why);
    EXPECT_EQ(why.clock_set_back_ms, one_day_ms);
    const std::string report = decision_json(one.by, made, &why);
    EXPECT_NE(report.find(R"({"step":"clock","ahead_ms":86400000,"text":"the clock was set back: )"),
              std::string::npos);
    one.look(sync_ms, {value(50)}, &why);
    EXPECT_EQ(why.clock_set_back_ms, 0);
}

}  // namespace

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int rounds = 200;
#else
constexpr int rounds = 4'000;
#endif
constexpr int passes = 150;

// stabilizeRecommendationWithBehaviors and stabilizeRecommendation, entry by entry.
struct plain_history {
    std::vector<recommendation> entries;

    std::int32_t highest_after(std::int64_t after_ms) const {
        std::int32_t out = recommendation_history::none_is_highest;
        for (const recommendation& one : entries)
            if (one.time_ms > after_ms) out = std::max(out, one.replicas);
        return out;
    }
    std::int32_t lowest_after(std::int64_t after_ms) const {
        std::int32_t out = recommendation_history::none_is_lowest;
        for (const recommendation& one : entries)
            if (one.time_ms > after_ms) out = std::min(out, one.replicas);
        return out;
    }
    void store(const recommendation& entry, std::int64_t expired_ms) {
        recommendation* slot = nullptr;
        for (recommendation& one : entries)
            if (one.time_ms < expired_ms) slot = &one;
        if (slot != nullptr) {
            *slot = entry;
        } else {
            entries.push_back(entry);
        }
    }
};

void expect_same(const recommendation_history& history, const plain_history& plain) {
    ASSERT_EQ(history.size(), plain.entries.size());
    for (std::size_t slot = 0; slot < plain.entries.size(); ++slot) {
        ASSERT_EQ(history[slot].replicas, plain.entries[slot].replicas) << "slot " << slot;
        ASSERT_EQ(history[slot].time_ms, plain.entries[slot].time_ms) << "slot " << slot;
    }
}

// Windows that change, a period that wavers, pauses longer than a window, a clock that is set back, entries out of order.
TEST(History, RemembersWhatALookWouldFind) {
    dice roll(11);
    for (int round = 0; round < rounds; ++round) {
        recommendation_history history;
        plain_history plain;
        std::int64_t now_ms = 1'800'000'000'000;
        for (std::int32_t past = roll.between(0, 6); past > 0; --past) {
            const recommendation one{roll.between(1, 9), now_ms - roll.between(0, 90'000)};
            history.push_back(one);
            plain.entries.push_back(one);
        }
        const bool steady = roll.one_in(2);
        std::int64_t up_ms = 1'000 * roll.between(0, 60);
        std::int64_t down_ms = 1'000 * roll.between(0, 60);
        for (int pass = 0; pass < passes; ++pass) {
            now_ms += steady ? 3'000 : roll.between(0, 6'000);
            if (roll.one_in(50)) now_ms += 100'000;
            if (roll.one_in(40)) up_ms = 1'000 * roll.between(0, 60);
            if (roll.one_in(40)) down_ms = 1'000 * roll.between(0, 60);
            if (roll.one_in(60)) {
                now_ms -= roll.between(0, 50'000);
                history.clamp_times(now_ms);
                for (recommendation& one : plain.entries) one.time_ms = std::min(one.time_ms, now_ms);
            }
            if (!roll.one_in(4)) {
                ASSERT_EQ(history.highest_after(now_ms - down_ms), plain.highest_after(now_ms - down_ms));
            }
            if (!roll.one_in(4)) {
                ASSERT_EQ(history.lowest_after(now_ms - up_ms), plain.lowest_after(now_ms - up_ms));
            }
            const recommendation next{roll.between(1, 9), now_ms};
            history.store(next, now_ms - std::max(up_ms, down_ms));
            plain.store(next, now_ms - std::max(up_ms, down_ms));
            ASSERT_NO_FATAL_FAILURE(expect_same(history, plain)) << "round " << round << ", pass " << pass;
        }
    }
}

TEST(History, ForgetsWhatItRememberedOfAClearedPast) {
    recommendation_history history;
    history.push_back({7, 1'000});
    EXPECT_EQ(history.highest_after(0), 7);
    history.clear();
    EXPECT_TRUE(history.empty());
    EXPECT_EQ(history.highest_after(0), recommendation_history::none_is_highest);
    EXPECT_EQ(history.lowest_after(0), recommendation_history::none_is_lowest);
    history.push_back({3, 2'000});
    EXPECT_EQ(history.highest_after(0), 3);
}

}  // namespace

}  // namespace gputide::decide
