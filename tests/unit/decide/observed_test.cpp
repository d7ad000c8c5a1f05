// Objects with a poll that takes what the HPA's pass read (KEDA 2.21), and passes that a changed spec brings (Kubernetes 1.37).
#include "decide/trace/trace.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::decide {
namespace {

using scene::driven;
using scene::no_value;
using scene::truth_of;
using scene::value;

policy made(manifest::scaling scaling, std::vector<metric_policy> metrics) {
    auto out = make_policy(std::move(scaling), std::move(metrics));
    EXPECT_TRUE(out) << (out ? "" : out.failure().message);
    return *std::move(out);
}

// Two triggers of target 10; a poll is due each 30 s, a pass each 15 s.
policy observed(manifest::profile profile, std::int32_t keda = 21) {
    manifest::scaling scaling = scene::scaled_object().scaling;
    scaling.extra.profile = profile;
    scaling.controller.versions.keda = keda;
    scaling.fallback = manifest::fallback{3, 6};
    return made(scaling, {scene::metric("s0-a", 10'000), scene::metric("s1-b", 10'000)});
}

driven after_pass(policy by) {
    driven out(std::move(by), 4);
    out.look(0, {value(80), value(40)});
    return out;
}

TEST(Observed, ThePollTakesTheLastRead) {
    driven scaler = after_pass(observed(manifest::profile::strict));
    scaler.look(15'000, {value(0), value(0)});
    trace why;
    scaler.with.last_executor_ms = absent;
    const decision got = scaler.look(16'000, {value(80), no_value(sample_state::failed)}, &why);
    EXPECT_EQ(truth_of(got, condition_type::active), truth::no);
    EXPECT_EQ(scaler.with.health[1].failures, 0);
    ASSERT_EQ(why.metrics.size(), 2U);
    EXPECT_TRUE(why.metrics[0].from_hpa);
    EXPECT_EQ(why.metrics[0].value.time_ms, scene::start_ms + 15'000);
}

TEST(Observed, WhereTheHpaIsNotActiveThePollAsks) {
    driven scaler = after_pass(observed(manifest::profile::strict));
    set_condition(scaler.with.conditions, condition_type::scaling_active, truth::unknown, reason::none, 0);
    scaler.with.last_executor_ms = absent;
    const decision got = scaler.look(1'000, {value(0), no_value(sample_state::failed)});
    EXPECT_EQ(truth_of(got, condition_type::active), truth::no);
    EXPECT_EQ(scaler.with.health[1].failures, 1);
}

TEST(Observed, OnlyTheDefaultProfileAsksAgainForAnOldRead) {
    for (const manifest::profile profile : {manifest::profile::standard, manifest::profile::strict}) {
        const bool is_strict = profile == manifest::profile::strict;
        for (const std::int64_t at_ms : {30'000, 30'001}) {
            driven scaler = after_pass(observed(profile));
            scaler.with.last_hpa_ms = scene::start_ms + at_ms;
            scaler.with.last_executor_ms = absent;
            const decision got = scaler.look(at_ms, {});
            const bool is_taken = is_strict || at_ms == 30'000;
            EXPECT_EQ(truth_of(got, condition_type::active), is_taken ? truth::yes : truth::no) << at_ms;
            EXPECT_EQ(scaler.with.health[0].failures, is_taken ? 0 : 1) << at_ms;
        }
    }
}

// The worked lines of docs/semantics.md: passes each 15 s, polls each 30 s, b fails from 30 s on.
std::int64_t fallback_begins_s(policy by) {
    driven scaler(std::move(by), 4);
    for (std::int64_t at_s = 0; at_s <= 300; at_s += 15) {
        const sample b = at_s < 30 ? value(40) : no_value(sample_state::failed);
        const decision got = scaler.look(at_s * 1000, {value(80), b});
        if (truth_of(got, condition_type::fallback) == truth::yes) return at_s;
    }
    return -1;
}

TEST(Observed, EachReadIsCountedOnce) {
    EXPECT_EQ(fallback_begins_s(observed(manifest::profile::standard)), 75);
    EXPECT_EQ(fallback_begins_s(observed(manifest::profile::strict)), 75);
    EXPECT_EQ(fallback_begins_s(observed(manifest::profile::standard, 20)), 120);
}

// KEDA's defect: the poll's good read is in the status, and the pass counts on in the copy of its scalers cache.
TEST(Observed, WhileAFallbackIsActiveThePassCountsInACopy) {
    for (const manifest::profile profile : {manifest::profile::standard, manifest::profile::strict}) {
        driven scaler(observed(profile, 20), 4);
        const auto look = [&](std::int64_t at_s, bool polls, const sample& b) {
            const std::int64_t now_ms = scene::start_ms + at_s * 1000;
            scaler.with.last_executor_ms = polls ? absent : now_ms;
            scaler.with.last_hpa_ms = polls ? now_ms : absent;
            return scaler.look(at_s * 1000, {value(80), b});
        };
        const bool is_strict = profile == manifest::profile::strict;
        for (const std::int64_t at_s : {15, 30, 45, 60}) look(at_s, !is_strict, no_value(sample_state::failed));
        EXPECT_EQ(scaler.with.health[1].failures, 4);
        look(61, true, no_value(sample_state::failed));
        EXPECT_EQ(scaler.with.health[1].failures, 5);
        look(75, false, no_value(sample_state::failed));
        EXPECT_EQ(scaler.with.health[1].failures, 5) << "strict: 4 of its own, and this one";
        EXPECT_EQ(truth_of(look(91, true, value(40)), condition_type::fallback), truth::no);
        const decision got = look(105, false, no_value(sample_state::failed));
        EXPECT_EQ(scaler.with.health[1].failures, is_strict ? 6 : 0);
        EXPECT_EQ(truth_of(got, condition_type::fallback), is_strict ? truth::yes : truth::no);
    }
}

TEST(Observed, ASampleBetweenTwoPassesCountsInTheDefaultProfile) {
    for (const manifest::profile profile : {manifest::profile::standard, manifest::profile::strict}) {
        driven scaler = after_pass(observed(profile));
        scaler.with.last_executor_ms = absent;
        scaler.look(1'000, {value(80), no_value(sample_state::failed)});
        EXPECT_EQ(scaler.with.health[1].failures, profile == manifest::profile::standard ? 1 : 0);
    }
}

TEST(Observed, WhatIsNotObserved) {
    EXPECT_TRUE(observed(manifest::profile::standard).takes_hpa_reads);
    EXPECT_FALSE(observed(manifest::profile::standard, 20).takes_hpa_reads);
    manifest::scaling scaling = scene::scaled_object().scaling;
    const auto takes = [&] { return made(scaling, {scene::metric("s0-a", 1'000)}).takes_hpa_reads; };
    EXPECT_TRUE(takes());
    scaling.idle = 0;
    EXPECT_FALSE(takes());
    scaling.idle.reset();
    scaling.min.reset();
    EXPECT_FALSE(takes());
    scaling.min = 0;
    EXPECT_FALSE(takes());
    scaling.min = 1;
    scaling.extra.sync_period_ms = 0;
    EXPECT_FALSE(takes());
    scaling.extra.sync_period_ms = 15'000;
    metric_policy cached = scene::metric("s0-a", 1'000);
    cached.use_cached = true;
    EXPECT_FALSE(made(scaling, {cached}).takes_hpa_reads);
    scaling.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    EXPECT_FALSE(takes());
}

TEST(Observed, NothingIsDueBetweenTwoPasses) {
    manifest::scaling scaling = scene::scaled_object().scaling;
    scaling.polling_interval_s = 5;
    driven scaler(made(scaling, {scene::metric("s0-a", 10'000)}), 4);
    EXPECT_EQ(scaler.look(0, {value(40)}).next_due_ms, scene::start_ms + 15'000);
    EXPECT_EQ(scaler.look(15'000, {no_value(sample_state::failed)}).next_due_ms, scene::start_ms + 20'000);
}

TEST(Observed, AChangeOfTheSpecAndAPauseDropTheReads) {
    driven scaler = after_pass(observed(manifest::profile::strict));
    manifest::scaling scaling = scaler.by.scaling;
    scaling.cooldown_s = 7;
    scaler.by = made(scaling, scaler.by.metrics);
    scaler.with.last_hpa_ms = scene::start_ms + 1'000;
    scaler.look(1'000, {value(0), value(0)});
    EXPECT_EQ(scaler.with.health[0].read.time_ms, absent);
    scaler.look(30'000, {value(0), value(0)});
    EXPECT_NE(scaler.with.health[0].read.time_ms, absent);
    scaler.by.scaling.pause.paused = true;
    scaler.look(60'000, {value(0), value(0)});
    EXPECT_EQ(scaler.with.health[0].read.time_ms, absent);
}

// When the HPA half runs within a minute of seconds; `change` is applied to the manifest at 20 s.
template <class Change>
std::vector<std::int64_t> passes_s(std::int32_t kubernetes, Change change) {
    manifest::scaling scaling = scene::hpa().scaling;
    scaling.controller.versions.kubernetes = kubernetes;
    driven scaler(made(scaling, {scene::metric("s0-a", 10'000)}), 4);
    std::vector<std::int64_t> out;
    for (std::int64_t at_s = 0; at_s <= 46; ++at_s) {
        if (at_s == 20) {
            manifest::scaling changed = scaler.by.scaling;
            std::vector<metric_policy> metrics = scaler.by.metrics;
            change(changed, metrics);
            scaler.by = made(changed, metrics);
        }
        if (scaler.look(at_s * 1000, {value(40)}).hpa_ran) out.push_back(at_s);
    }
    return out;
}

using times = std::vector<std::int64_t>;

TEST(ChangedSpec, IsLookedAtAtOnce) {
    const auto max = [](manifest::scaling& scaling, auto&) { scaling.max = 30; };
    EXPECT_EQ(passes_s(37, max), (times{0, 15, 20, 30, 45}));
    EXPECT_EQ(passes_s(36, max), (times{15, 30, 45}));
    EXPECT_EQ(passes_s(37, [](auto&, auto& metrics) { metrics[0].target_milli = 9'000; }), (times{0, 15, 20, 30, 45}));
    EXPECT_EQ(passes_s(37, [](manifest::scaling& scaling, auto&) { scaling.behavior = scene::default_behavior(); }),
              (times{0, 15, 20, 30, 45}));
}

TEST(ChangedSpec, WhatTheHpaDoesNotSeeIsNoChange) {
    const times usual{0, 15, 30, 45};
    EXPECT_EQ(passes_s(37, [](auto&, auto&) {}), usual);
    EXPECT_EQ(passes_s(37, [](auto&, auto& metrics) { metrics[0].query_sum = 7; }), usual);
    EXPECT_EQ(passes_s(37, [](manifest::scaling& scaling, auto&) { scaling.extra.group_size = 2; }), usual);
}

TEST(ChangedSpec, KedasMinimumIsAtLeastOne) {
    policy zero = scene::scaled_object(0);
    policy policy = scene::scaled_object(1);
    EXPECT_EQ(spec_sums_of(zero).hpa, spec_sums_of(policy).hpa);
    EXPECT_NE(spec_sums_of(zero).whole, spec_sums_of(policy).whole);
    EXPECT_NE(spec_sums_of(policy).hpa, spec_sums_of(scene::scaled_object(2)).hpa);
}

}  // namespace
}  // namespace gputide::decide
