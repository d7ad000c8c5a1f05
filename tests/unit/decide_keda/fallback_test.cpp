// The composite metric: truncation, nil, fallback in a formula, activation.
#include "decide/keda/fallback.hpp"

#include "evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace test;

passed_metric value(std::int64_t milli) {
    passed_metric out;
    out.value_milli = milli;
    return out;
}

formula_result number(double value) {
    formula_result out;
    out.value = value;
    return out;
}

formula_result nil() {
    formula_result out;
    out.nil = true;
    return out;
}

TEST(Composite, IsTheFormulaOfAllTriggers) {
    const policy by = made(modified("util * 0.75 + mem * 0.25"), {external("util"), cpu(), external("mem", 2)});
    const passed_metric metrics[] = {value(40'000), value(0), value(80'000)};
    const composite got = combine(by, metrics);
    EXPECT_EQ(got.state, composite_state::formula);
    EXPECT_EQ(got.value_milli, 50'000);
    EXPECT_TRUE(got.active);
}

TEST(Composite, WithoutAFormulaThereIsNone) {
    const passed_metric metrics[] = {value(1)};
    EXPECT_EQ(combine(made({}, {external("a")}), metrics).state, composite_state::none);
}

TEST(Composite, TruncatesTowardZero) {
    const policy by = made(modified("a"), {external("a")});
    EXPECT_EQ(composite_of_result(by, number(1.0009765625)).value_milli, 1000);
    EXPECT_EQ(composite_of_result(by, number(-2.5)).value_milli, -2500);
    EXPECT_EQ(composite_of_result(by, number(-0.0009)).value_milli, 0);
}

TEST(Composite, ActivatesStrictlyAboveItsTarget) {
    manifest::scaling spec = modified("a");
    spec.modifiers->activation_target = "2.5";
    const policy by = made(std::move(spec), {external("a")});
    EXPECT_FALSE(composite_of_value(by, composite_state::formula, 2500).active);
    EXPECT_TRUE(composite_of_value(by, composite_state::formula, 2501).active);
}

TEST(Composite, ATriggerInErrorLeavesNoValue) {
    const policy by = made(modified("a + b"), {external("a"), external("b", 1)});
    passed_metric failed;
    failed.error = true;
    const passed_metric metrics[] = {value(1), failed};
    const composite got = combine(by, metrics);
    EXPECT_EQ(got.state, composite_state::trigger_error);
    EXPECT_TRUE(got.error);
    EXPECT_FALSE(got.has_value);
}

TEST(Composite, TheFirstTriggerInFallbackTakesItsPlace) {
    const policy by = made(modified("a + b"), {external("a"), external("b", 1)});
    passed_metric fallen = value(20'000);
    fallen.fallback_active = true;
    const passed_metric metrics[] = {value(1), fallen};
    const composite got = combine(by, metrics);
    EXPECT_EQ(got.state, composite_state::fallback);
    EXPECT_EQ(got.value_milli, 20'000);
}

policy scoped(const std::string& formula) {
    manifest::scaling spec = modified(formula);
    spec.fallback = manifest::fallback{3, 5, manifest::fallback_behavior::scaling_modifiers};
    return made(std::move(spec), {external("a"), external("b", 1)});
}

TEST(Composite, AFailedTriggerIsNilBeyondItsThreshold) {
    const policy by = scoped("a ?? b");
    passed_metric failed = value(-1000);
    failed.failures = 4;
    failed.placeholder = true;
    EXPECT_EQ(formula_value(by, failed), std::nullopt);
    const passed_metric metrics[] = {failed, value(3000)};
    EXPECT_EQ(combine(by, metrics).value_milli, 3000);
    failed.failures = 3;
    EXPECT_EQ(formula_value(by, failed), -1.0);
}

TEST(Composite, NilBecomesTheFallbacksReplicas) {
    const composite got = composite_of_result(scoped("a ?? b"), nil());
    EXPECT_EQ(got.state, composite_state::nil_replaced);
    EXPECT_EQ(got.value_milli, 10'000) << "5 replicas at a target of 2";
}

TEST(Composite, NilWithoutFallbackIsAnError) {
    const policy by = made(modified("a"), {external("a")});
    const composite got = composite_of_result(by, nil());
    EXPECT_EQ(got.state, composite_state::nil_error);
    EXPECT_TRUE(got.error);
    EXPECT_NE(composite_failure_text(got).find("evaluated to nil but no fallback is configured"), std::string::npos);
    EXPECT_FALSE(composite_of_result(made(strict(modified("a")), {external("a")}), nil()).error);
}

TEST(Composite, WhatNoQuantityHoldsIsAnError) {
    const policy by = made(modified("a"), {external("a")});
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e16}) {
        const composite got = composite_of_result(by, number(bad));
        EXPECT_EQ(got.state, composite_state::not_finite) << bad;
        EXPECT_TRUE(got.error);
    }
    const policy keda = made(strict(modified("a")), {external("a")});
    EXPECT_EQ(composite_of_result(keda, number(std::nan(""))).value_milli, std::numeric_limits<std::int64_t>::min());
}

TEST(Composite, ABadActivationTargetIsFoundAtOnceUnlessStrict) {
    manifest::scaling spec = modified("a");
    spec.modifiers->activation_target = "high";
    const auto refused = make_policy(spec, {external("a")});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.failure().message.find("scalingModifiers.ActivationTarget parsing error"), std::string::npos);
    const policy keda = made(strict(spec), {external("a")});
    const composite got = composite_of_value(keda, composite_state::formula, 1);
    EXPECT_EQ(got.state, composite_state::activation_error);
    EXPECT_TRUE(got.error);
}

TEST(Composite, EveryMissingValueHasItsSentence) {
    for (const auto state : {composite_state::trigger_error, composite_state::formula_error, composite_state::nil_error,
                             composite_state::not_finite, composite_state::activation_error}) {
        composite composite;
        composite.state = state;
        EXPECT_NE(composite_failure_text(composite), "") << static_cast<int>(state);
    }
    EXPECT_EQ(composite_failure_text(composite{}), "");
}

using namespace test;

constexpr metric_read failed{.error = true};

policy with_fallback(std::int32_t threshold, std::int32_t replicas,
                     manifest::fallback_behavior behavior = manifest::fallback_behavior::fixed) {
    manifest::scaling spec;
    spec.fallback = manifest::fallback{threshold, replicas, behavior};
    return made(std::move(spec), {external("a")});
}

metric_health after(std::int32_t failures) {
    metric_health out;
    out.failures = failures;
    out.failing = failures > 0;
    return out;
}

TEST(Fallback, WithoutABlockNothingIsCounted) {
    const policy by = made({}, {external("a")});
    const passed_metric got = pass_metric(by, 0, failed, after(5), {}, counting::on);
    EXPECT_TRUE(got.error);
    EXPECT_EQ(got.failures, 5);
    EXPECT_EQ(fallback_condition(by, {}), truth::absent);
}

TEST(Fallback, TheThresholdTolerates) {
    const policy by = with_fallback(3, 7);
    EXPECT_TRUE(pass_metric(by, 0, failed, after(2), {}, counting::on).error);
    const passed_metric fourth = pass_metric(by, 0, failed, after(3), {}, counting::on);
    EXPECT_FALSE(fourth.error);
    EXPECT_TRUE(fourth.active);
    EXPECT_TRUE(fourth.fallback_active);
    EXPECT_EQ(fourth.value_milli, 70'000);
    EXPECT_EQ(fourth.failures, 4);
}

TEST(Fallback, ASuccessResets) {
    const passed_metric got =
        pass_metric(with_fallback(3, 7), 0, {.active = true, .value_milli = 42}, after(9), {}, counting::on);
    EXPECT_EQ(got.value_milli, 42);
    EXPECT_TRUE(got.active);
    EXPECT_EQ(got.failures, 0);
    EXPECT_FALSE(got.failing);
}

TEST(Fallback, AReadThatDoesNotCountUsesTheCountSoFar) {
    const policy by = with_fallback(0, 7);
    EXPECT_TRUE(pass_metric(by, 0, failed, after(0), {}, counting::off).error);
    EXPECT_TRUE(pass_metric(by, 0, failed, after(1), {}, counting::off).fallback_active);
    const passed_metric good = pass_metric(by, 0, {.value_milli = 5}, after(1), {}, counting::off);
    EXPECT_EQ(good.value_milli, 5);
    EXPECT_EQ(good.failures, 1) << "only a counted success resets";
}

TEST(Fallback, CurrentReplicas) {
    const observation five{.spec_replicas = 5};
    const auto value = [&](manifest::fallback_behavior behavior, std::int32_t replicas) {
        return pass_metric(with_fallback(0, replicas, behavior), 0, failed, {}, five, counting::on).value_milli;
    };
    using enum manifest::fallback_behavior;
    EXPECT_EQ(value(current_replicas, 3), 50'000);
    EXPECT_EQ(value(current_replicas_if_higher, 3), 50'000);
    EXPECT_EQ(value(current_replicas_if_higher, 8), 80'000);
    EXPECT_EQ(value(current_replicas_if_lower, 3), 30'000);
    EXPECT_EQ(value(current_replicas_if_lower, 8), 50'000);
}

TEST(Fallback, AnUnreadableSizeKeepsTheErrorAndCounts) {
    const policy by = with_fallback(0, 3, manifest::fallback_behavior::current_replicas);
    const passed_metric got = pass_metric(by, 0, failed, {}, {.scale_readable = false}, counting::on);
    EXPECT_TRUE(got.error);
    EXPECT_FALSE(got.fallback_failed);
    EXPECT_EQ(got.failures, 1);
    EXPECT_FALSE(pass_metric(with_fallback(0, 3), 0, failed, {}, {.scale_readable = false}, counting::on).error);
}

TEST(Fallback, AValueTargetDividesByReadyPods) {
    policy by = with_fallback(0, 10);
    by.metrics[0].type = manifest::target_type::value;
    EXPECT_EQ(pass_metric(by, 0, failed, {}, {.spec_replicas = 3}, counting::on).value_milli, 33'333);
    const passed_metric none = pass_metric(by, 0, failed, {}, {.spec_replicas = 3, .ready_replicas = 0}, counting::on);
    EXPECT_TRUE(none.error);
    EXPECT_TRUE(none.fallback_failed);
}

TEST(Fallback, ResourcesAreLeftAlone) {
    policy by = with_fallback(0, 10);
    by.metrics[0] = cpu();
    EXPECT_TRUE(pass_metric(by, 0, failed, {}, {}, counting::on).error);
    EXPECT_EQ(pass_metric(by, 0, failed, {}, {}, counting::on).failures, 0);
}

TEST(Fallback, ModifiersHoldThePlace) {
    manifest::scaling spec = modified("a ?? 5");
    spec.fallback = manifest::fallback{0, 4, manifest::fallback_behavior::scaling_modifiers};
    const policy by = made(std::move(spec), {external("a")});
    const passed_metric got = pass_metric(by, 0, failed, {}, {}, counting::on);
    EXPECT_FALSE(got.error);
    EXPECT_TRUE(got.placeholder);
    EXPECT_FALSE(got.fallback_active);
    EXPECT_FALSE(got.active);
    EXPECT_EQ(got.value_milli, -1000);
}

TEST(Fallback, ConditionLooksAtAllMetrics) {
    const policy by = with_fallback(3, 7);
    const metric_health health[] = {after(0), after(4)};
    EXPECT_EQ(fallback_condition(by, health), truth::yes);
    const metric_health fine[] = {after(0), after(3)};
    EXPECT_EQ(fallback_condition(by, fine), truth::no);
}

TEST(Fallback, FractionalTargetsWorkUnlessStrict) {
    manifest::scaling spec = modified("a", "2.5");
    spec.fallback = manifest::fallback{0, 4};
    EXPECT_TRUE(fallback_is_valid(spec));
    EXPECT_EQ(pass_metric(made(spec, {external("a")}), 0, failed, {}, {}, counting::on).value_milli, 10'000);
    EXPECT_FALSE(fallback_is_valid(strict(spec)));
    spec.fallback->replicas = -1;
    EXPECT_FALSE(fallback_is_valid(spec));
}

TEST(Fallback, TheCountStopsAtItsBound) {
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const passed_metric got = pass_metric(with_fallback(0, 1), 0, failed, after(most), {}, counting::on);
    EXPECT_EQ(got.failures, most);
    EXPECT_TRUE(got.fallback_active);
}

TEST(Fallback, HugeTargetsSaturate) {
    policy by = with_fallback(0, std::numeric_limits<std::int32_t>::max());
    by.metrics[0].target_milli = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(pass_metric(by, 0, failed, {}, {}, counting::on).value_milli, std::numeric_limits<std::int64_t>::max());
}

TEST(Fallback, ASampleAsARead) {
    metric_policy metric = external("a");
    metric.activation_threshold = 5;
    const gputide::sample above{.state = gputide::sample_state::ok, .value = 5.0001};
    EXPECT_TRUE(read_of(metric, above).active) << "the raw value counts, not the rounded one";
    EXPECT_EQ(read_of(metric, above).value_milli, 5000);
    EXPECT_FALSE(read_of(metric, {.state = gputide::sample_state::ok, .value = 5.0}).active);
    EXPECT_TRUE(read_of(metric, {.state = gputide::sample_state::stale}).error);
    EXPECT_EQ(read_of(metric, {.state = gputide::sample_state::ok, .value = -3.0}).value_milli, 0);
}

}  // namespace
