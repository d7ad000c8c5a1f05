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
void save_and_load(driven& scaler) {
    const result<state> back = load_state(scaler.by, save_state(scaler.by, scaler.with));
    ASSERT_TRUE(back.ok()) << back.failure().message;
    scaler.with = *back;
}

std::vector<survival> both_survivals() { return {stay, save_and_load}; }

policy with_profile(policy by, manifest::profile profile) {
    by.scaling.extra.profile = profile;
    return by;
}

// When the size first fell, counted from the correction; -1: not within the hour after it.
std::int64_t first_fall_ms(driven& scaler, double load) {
    const std::int32_t before = scaler.replicas;
    for (std::int64_t at = sync_ms; at <= 3'600'000; at += sync_ms) {
        scaler.tick(at, {value(load)});
        if (scaler.replicas < before) return at;
    }
    return -1;
}

TEST(Clock, AWindowHoldsOnceMore) {
    for (const auto profile : {manifest::profile::standard, manifest::profile::strict}) {
        for (const survival& survive : both_survivals()) {
            for (const bool behavior : {false, true}) {
                driven scaler(with_profile(scene::hpa(), profile), 10);
                if (behavior) scaler.by.scaling.behavior = scene::default_behavior();
                scaler.tick(0, {value(50)});
                scaler.tick(one_day_ms, {value(50)});  // the clock is a day ahead, once
                survive(scaler);
                const std::int64_t fell_ms = first_fall_ms(scaler, 10);
                EXPECT_GE(fell_ms, 300'000);
                EXPECT_LE(fell_ms, 330'000);
            }
        }
    }
}

TEST(Clock, ACooldownRunsOnceMore) {
    for (const survival& survive : both_survivals()) {
        driven scaler(scene::scaled_object(0), 1);
        scaler.tick(one_day_ms, {value(5)});
        survive(scaler);
        const std::int64_t fell_ms = first_fall_ms(scaler, 0);
        EXPECT_GE(fell_ms, 300'000);
        EXPECT_LE(fell_ms, 345'000);
    }
}

TEST(Clock, ARateBudgetIsSpentOnceMore) {
    for (const survival& survive : both_survivals()) {
        driven scaler(scene::hpa(1, 100), 10);
        scaler.by.scaling.behavior = scene::default_behavior();
        scaler.by.scaling.behavior->up.policies = {{manifest::policy_type::pods, 4, 60}};
        scaler.tick(one_day_ms, {value(500)});
        ASSERT_EQ(scaler.replicas, 14);
        survive(scaler);
        scaler.tick(0, {value(500)});
        EXPECT_EQ(scaler.replicas, 14);
        scaler.tick(60'000, {value(500)});
        EXPECT_EQ(scaler.replicas, 18);
    }
}

TEST(Clock, AnInitialCooldownRunsFromNow) {
    driven scaler(scene::scaled_object(0), 1);
    scaler.by.scaling.initial_cooldown_s = 60;
    scaler.with = make_state(scaler.by, scene::start_ms + one_day_ms);
    scaler.tick(0, {value(0)});
    EXPECT_EQ(scaler.replicas, 1);
    scaler.tick(90'000, {value(0)});
    EXPECT_EQ(scaler.replicas, 0);
}

TEST(Clock, NoTimeStaysAhead) {
    driven scaler(scene::scaled_object(0), 2);
    scaler.by.scaling.behavior = scene::default_behavior();
    scaler.by.metrics[0].use_cached = true;
    scaler.tick(0, {value(5, scene::start_ms)});
    scaler.tick(one_day_ms, {value(50, scene::start_ms + one_day_ms)});
    ASSERT_GT(newest_time_of(scaler.with), scene::start_ms + one_day_ms - 1);
    const decision made = scaler.look(sync_ms, {value(50, scene::start_ms + sync_ms)});
    EXPECT_TRUE(made.executor_ran && made.hpa_ran);
    EXPECT_LE(newest_time_of(scaler.with), scene::start_ms + sync_ms);
    EXPECT_LE(scaler.with.health[0].last.time_ms, scene::start_ms + sync_ms);
    for (const condition& condition : made.conditions) EXPECT_LE(condition.since_ms, scene::start_ms + sync_ms);
    EXPECT_LE(made.next_due_ms, scene::start_ms + 2 * sync_ms);
}

TEST(Clock, TheTraceSaysSo) {
    driven scaler(scene::hpa(), 10);
    scaler.tick(one_day_ms, {value(50)});
    trace why;
    const decision made = scaler.look(0, {value(50)}, &why);
    EXPECT_EQ(why.clock_set_back_ms, one_day_ms);
    const std::string report = decision_json(scaler.by, made, &why);
    EXPECT_NE(report.find(R"({"step":"clock","ahead_ms":86400000,"text":"the clock was set back: )"),
              std::string::npos);
    scaler.look(sync_ms, {value(50)}, &why);
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
        for (const recommendation& entry : entries)
            if (entry.time_ms > after_ms) out = std::max(out, entry.replicas);
        return out;
    }
    std::int32_t lowest_after(std::int64_t after_ms) const {
        std::int32_t out = recommendation_history::none_is_lowest;
        for (const recommendation& entry : entries)
            if (entry.time_ms > after_ms) out = std::min(out, entry.replicas);
        return out;
    }
    void store(const recommendation& entry, std::int64_t expired_ms) {
        recommendation* slot = nullptr;
        for (recommendation& recommendation : entries)
            if (recommendation.time_ms < expired_ms) slot = &recommendation;
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
            const recommendation recommendation{roll.between(1, 9), now_ms - roll.between(0, 90'000)};
            history.push_back(recommendation);
            plain.entries.push_back(recommendation);
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
                for (recommendation& entry : plain.entries) entry.time_ms = std::min(entry.time_ms, now_ms);
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
