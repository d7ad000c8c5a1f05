// Checks what holds for every policy and every value: 100,000 random cases a law, from a fixed seed.
#include "decide/rules.hpp"
#include "decide/state/text.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "dice.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace gputide::decide {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int cases = 5'000;  // a sanitizer looks at memory, not at arithmetic, and takes twenty times as long
#else
constexpr int cases = 100'000;
#endif

manifest::scaling_rules random_rules(dice& roll) {
    manifest::scaling_rules out;
    out.window_s = roll.one_in(3) ? 0 : roll.between(1, 600);
    out.select = static_cast<manifest::select_policy>(roll.between(0, 2));
    out.tolerance = roll.one_in(2) ? 0.1 : roll.number(0.5);
    for (std::int32_t i = roll.between(1, 3); i > 0; --i) {
        out.policies.push_back(
            {static_cast<manifest::policy_type>(roll.between(0, 1)), roll.between(1, 120), roll.between(1, 300)});
    }
    return out;
}

// Everything that a manifest may say, the rules beyond the originals included.
policy random_policy(dice& roll) {
    policy out = scene::scaled_object(roll.between(0, 4), roll.between(4, 60));
    if (roll.one_in(2)) out.scaling.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    if (roll.one_in(2)) out.scaling.behavior = manifest::behavior{random_rules(roll), random_rules(roll)};
    if (roll.one_in(3)) {
        out.scaling.fallback = manifest::fallback{roll.between(0, 3), roll.between(0, 8)};
        out.fallback_on = true;
    }
    if (roll.one_in(3)) out.scaling.cooldown_s = roll.between(0, 300);
    if (roll.one_in(4)) out.scaling.extra.in_flight_guard = true;
    if (roll.one_in(4)) out.scaling.extra.group_size = roll.between(1, 4);
    if (roll.one_in(4)) out.scaling.extra.max_gpus_milli = std::int64_t{1000} * roll.between(1, 50);
    if (roll.one_in(4)) {
        out.scaling.extra.confirm_k = roll.between(1, 3);
        out.scaling.extra.confirm_n = roll.between(3, 5);
    }
    for (std::int32_t i = roll.between(0, 2); i > 0; --i) {
        metric_policy more =
            scene::metric("s" + std::to_string(i) + "-prometheus", std::int64_t{1000} * roll.between(1, 90));
        if (roll.one_in(2)) more.type = manifest::target_type::value;
        if (roll.one_in(3)) more.rules.no_data = static_cast<manifest::no_data_rule>(roll.between(0, 4));
        out.metrics.push_back(more);
    }
    return out;
}

std::vector<sample> random_samples(dice& roll, const policy& by, double high) {
    std::vector<sample> out;
    for (std::size_t i = 0; i < by.metrics.size(); ++i) {
        const bool fails = roll.one_in(8);
        out.push_back(fails ? scene::no_value(static_cast<sample_state>(roll.between(1, 8)))
                            : scene::value(roll.number(high)));
    }
    return out;
}

observation seen_at(std::int64_t now_ms, std::int32_t replicas, std::int32_t ready,
                    const std::vector<sample>& samples) {
    observation out;
    out.now_ms = now_ms;
    out.spec_replicas = replicas;
    out.ready_replicas = ready;
    out.samples = samples;
    return out;
}

void expect_same(const decision& a, const decision& b) {
    ASSERT_EQ(a.desired_replicas, b.desired_replicas);
    ASSERT_EQ(a.proposed_replicas, b.proposed_replicas);
    ASSERT_EQ(a.limited_by, b.limited_by);
    ASSERT_EQ(a.origin, b.origin);
    ASSERT_EQ(a.event, b.event);
    ASSERT_EQ(a.active, b.active);
    ASSERT_EQ(a.error, b.error);
    ASSERT_EQ(a.winner, b.winner);
    ASSERT_EQ(a.failed_metric, b.failed_metric);
    ASSERT_EQ(a.failure, b.failure);
    ASSERT_EQ(a.next_due_ms, b.next_due_ms);
    for (std::size_t i = 0; i < condition_count; ++i) {
        ASSERT_EQ(a.conditions[i].truth, b.conditions[i].truth);
        ASSERT_EQ(a.conditions[i].reason, b.conditions[i].reason);
        ASSERT_EQ(a.conditions[i].since_ms, b.conditions[i].since_ms);
    }
}

// Runs a random scaler for some ticks and hands each of them over, with the state from before.
template <class Look>
void run_random(std::uint32_t seed, Look look) {
    dice roll(seed);
    for (int done = 0; done < cases;) {
        const policy by = random_policy(roll);
        state with = make_state(by);
        std::int32_t replicas = roll.between(0, 20);
        std::int64_t now_ms = scene::start_ms;
        for (int tick = 0; tick < 100 && done < cases; ++tick, ++done) {
            now_ms += std::int64_t{1000} * roll.between(1, 60);
            const std::vector<sample> samples = random_samples(roll, by, 500);
            const observation seen = seen_at(now_ms, replicas, roll.between(0, replicas), samples);
            const state before = with;
            decision made = decide(by, with, seen);
            look(by, before, seen, made);
            if (testing::Test::HasFatalFailure()) return;
            if (roll.one_in(10)) {
                record_failed(by, with, made, now_ms);
            } else {
                record_applied(by, with, made, now_ms);
                replicas = made.desired_replicas;
            }
            if (roll.one_in(50)) replicas = roll.between(0, 70);  // another controller writes
        }
    }
}

TEST(Law, TheSameInputsGiveTheSameBits) {
    run_random(1, [](const policy& by, state before, const observation& seen, const decision& made) {
        expect_same(decide(by, before, seen), made);
    });
}

TEST(Law, SaveLoadDecideEqualsDecide) {
    run_random(2, [](const policy& by, const state& before, const observation& seen, const decision& made) {
        result<state> back = load_state(by, save_state(by, before));
        ASSERT_TRUE(back.ok()) << back.failure().message;
        expect_same(decide(by, *back, seen), made);
    });
}

// The executor may write 0, idle, 1 or the minimum; the HPA half stays between its bounds.
TEST(Law, TheResultIsWithinBounds) {
    run_random(3, [](const policy& by, const state&, const observation& seen, const decision& made) {
        if (made.desired_replicas == seen.spec_replicas) return;
        if (made.origin == origin::hpa) {
            ASSERT_GE(made.desired_replicas, by.scaling.hpa_min());
            ASSERT_LE(made.desired_replicas, max_within_budget(by.scaling));
        } else {
            const std::int32_t min = by.scaling.min.value_or(0);
            ASSERT_TRUE(made.desired_replicas == min || made.desired_replicas == 1) << made.desired_replicas;
        }
    });
}

TEST(Law, ATracesInputsGiveTheSameDecision) {
    run_random(4, [](const policy& by, const state& before, const observation& seen, const decision& made) {
        state traced = before;
        trace why;
        expect_same(decide(by, traced, seen, &why), made);
        std::vector<sample> samples;
        for (const metric_trace& metric : why.metrics) samples.push_back(metric.read);
        observation again = seen_at(why.now_ms, why.spec_replicas, why.ready_replicas, samples);
        again.status_replicas = why.status_replicas;
        state replayed = before;
        expect_same(decide(by, replayed, again), made);
    });
}

// A higher value never gives fewer replicas: AverageValue and Value targets, stabilization, rates and bounds together.
TEST(Law, MoreLoadNeverMeansFewerReplicas) {
    dice roll(5);
    for (int i = 0; i < cases; ++i) {
        policy by = scene::hpa(1, 60, std::int64_t{1000} * roll.between(1, 50));
        if (roll.one_in(2)) by.metrics[0].type = manifest::target_type::value;
        if (roll.one_in(2)) by.scaling.behavior = manifest::behavior{random_rules(roll), random_rules(roll)};
        const double low = roll.number(400);
        const std::int32_t replicas = roll.between(1, 60);
        state with = make_state(by);
        with.seen = true;
        for (std::int32_t past = roll.between(0, 10); past > 0; --past) {
            with.recommendations.push_back(
                {roll.between(1, 60), scene::start_ms - std::int64_t{1000} * roll.between(0, 900)});
        }
        const auto size_at = [&](double value) {
            state copy = with;
            const std::vector<sample> samples = {scene::value(value)};
            return decide(by, copy, seen_at(scene::start_ms, replicas, replicas, samples)).desired_replicas;
        };
        ASSERT_LE(size_at(low), size_at(low + roll.number(400))) << "case " << i;
    }
}

// Whatever a host or a file says of time and size, nothing overflows (the sanitizers watch) and the bounds hold.
TEST(Law, ExtremeTimesAndSizesAreHarmless) {
    dice roll(7);
    const std::int64_t times[] = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), 0,
                                  -1, scene::start_ms};
    const std::int32_t sizes[] = {0, 1, 5, std::numeric_limits<std::int32_t>::max()};
    for (int i = 0; i < cases / 100; ++i) {
        policy by = random_policy(roll);
        by.metrics[0].rules.max_age_ms = 1000;
        state with = make_state(by, times[roll.between(0, 4)]);
        for (int tick = 0; tick < 100; ++tick) {
            std::vector<sample> samples = random_samples(roll, by, 1e18);
            for (sample& sample : samples) sample.time_ms = times[roll.between(0, 4)];
            observation seen = seen_at(times[roll.between(0, 4)], sizes[roll.between(0, 3)], -1, samples);
            const pod pod{"p",           pod_phase::running,        false,
                          readiness::no, times[roll.between(0, 4)], times[roll.between(0, 4)]};
            seen.pods = {&pod, 1};
            trace why;
            decision made = decide(by, with, seen, &why);
            if (made.origin == origin::hpa && made.desired_replicas != made.current_replicas) {
                ASSERT_LE(made.desired_replicas, max_within_budget(by.scaling));
            }
            ASSERT_FALSE(decision_json(by, made, &why).empty());
            record_applied(by, with, made, times[roll.between(0, 4)]);
            if (tick % 25 != 0) continue;
            ASSERT_TRUE(load_state(by, save_state(by, with)).ok());
        }
    }
}

TEST(Law, TheStateStaysBounded) {
    run_random(6, [](const policy&, const state& before, const observation&, const decision&) {
        ASSERT_LE(before.recommendations.size(), 1200U);
        ASSERT_LE(before.confirmations.size(), 5U);
    });
}

}  // namespace
}  // namespace gputide::decide
