// Tests what doctor says of other loads, and of the manifest.
#include "doctor/judge.hpp"

#include <gtest/gtest.h>

namespace gputide::doctor {
namespace {

decide::metric_policy external(manifest::target_type type, std::int64_t target_milli) {
    decide::metric_policy out;
    out.name = "s0-prometheus";
    out.type = type;
    out.target_milli = target_milli;
    return out;
}

struct scene {
    decide::policy policy;
    std::vector<sample> samples;
    decide::observation seen;
    std::vector<load_metric> metrics;

    scene(manifest::target_type type, std::int64_t target_milli, double value, std::int32_t replicas) {
        policy.scaling.kind = manifest::manifest_kind::scaled_object;
        policy.scaling.min = 1;
        policy.scaling.max = 20;
        policy.metrics.push_back(external(type, target_milli));
        sample read;
        read.state = sample_state::ok;
        read.value = value;
        samples.push_back(read);
        metrics.emplace_back();
        seen.now_ms = 1'760'000'000'000;
        seen.spec_replicas = replicas;
        seen.samples = samples;
    }
    std::string text() const {
        const auto got = judge_load({policy, seen, metrics});
        return got ? got->seen : "";
    }
};

TEST(Outlook, ATotalGrowsWithTheLoad) {
    EXPECT_EQ(scene(manifest::target_type::average_value, 5'000, 30, 6).text(),
              "at twice the load: 6 -> 12 replicas; at no load: 6 -> 1");
}

TEST(Outlook, AnAverageThatIsDividedShrinksUnderLoad) {
    scene six(manifest::target_type::average_value, 750, 0.98, 6);
    EXPECT_EQ(six.text(), "at twice the load: 6 -> 3 replicas; at no load: 6 -> 1");
    six.metrics[0].max = 1.0;  // a known range ends what can come
    EXPECT_EQ(six.text(), "at twice the load: 6 -> 2 replicas; at no load: 6 -> 1");
}

TEST(Outlook, BoundsHold) {
    EXPECT_EQ(scene(manifest::target_type::value, 1'000, 4, 4).text(),
              "at twice the load: 4 -> 20 replicas; at no load: 4 -> 1");
}

TEST(Outlook, AWorkloadThatGoesToZero) {
    scene idle(manifest::target_type::average_value, 5'000, 30, 6);
    idle.policy.scaling.min = 0;
    EXPECT_EQ(idle.text(), "at twice the load: 6 -> 12 replicas; at no load: 6 -> 0 after cooldownPeriod");
}

TEST(Outlook, AFormulaHasAStepOfItsOwn) {
    decide::policy policy;
    policy.scaling.modifiers = manifest::scaling_modifiers{};
    policy.scaling.modifiers->formula = "max(util, queue * 20)";
    policy.scaling.modifiers->metric_type = manifest::target_type::value;
    policy.composite_target = 70;
    policy.composite_activation = 5;
    decide::trace trace;
    trace.executor.modifiers = {decide::composite_state::formula, true, true, false, 90'000, {}};
    EXPECT_EQ(judge_formula(policy, trace).verdict, verdict::ok);
    EXPECT_EQ(judge_formula(policy, trace).seen, "active: 90 > 5; target 70");
    trace.executor.modifiers = {decide::composite_state::formula, true, false, false, 4'000, {}};
    policy.scaling.modifiers->metric_type = manifest::target_type::average_value;
    EXPECT_EQ(judge_formula(policy, trace).seen, "not active: 4 <= 5; target 70 per replica");
    trace.executor.modifiers = {decide::composite_state::not_finite, false, false, true, 0, {}};
    EXPECT_EQ(judge_formula(policy, trace).verdict, verdict::failed);
    EXPECT_EQ(judge_formula(policy, trace).seen,
              "no value: the formula gave NaN, an infinity or a number outside the range of a quantity");
    trace.executor.modifiers.state = decide::composite_state::trigger_error;  // which is a failed step of that trigger
    EXPECT_EQ(judge_formula(policy, trace).verdict, verdict::warning);
}

TEST(Outlook, NothingIsToldWithoutANumber) {
    scene failed(manifest::target_type::average_value, 5'000, 30, 6);
    failed.samples[0].state = sample_state::failed;
    EXPECT_EQ(failed.text(), "");
    scene schedule(manifest::target_type::average_value, 1'000, 3, 3);
    schedule.metrics[0].follows_load = false;
    EXPECT_EQ(schedule.text(), "");
}

TEST(Outlook, WarningsOfWeightAreAStep) {
    text::report findings;
    findings.add(text::severity::note, "old-version", {}, "an old version");
    findings.add(text::severity::warning, "empty-reads-as-zero", {}, "empty counts as 0");
    EXPECT_FALSE(judge_manifest(findings));
    findings.add(text::severity::warning, "both-days", {}, "either day counts", "restrict one of them");
    const auto got = judge_manifest(findings);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->verdict, verdict::warning);
    EXPECT_EQ(got->seen, "either day counts");
    EXPECT_EQ(got->fix, "restrict one of them");
}

}  // namespace
}  // namespace gputide::doctor
