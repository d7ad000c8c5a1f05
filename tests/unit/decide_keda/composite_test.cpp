// The composite metric: truncation, nil, fallback in a formula, activation.
#include "decide/keda/fallback.hpp"
#include "make.hpp"

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
    config::scaling spec = modified("a");
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
    config::scaling spec = modified(formula);
    spec.fallback = config::fallback{3, 5, config::fallback_behavior::scaling_modifiers};
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
    config::scaling spec = modified("a");
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
        composite one;
        one.state = state;
        EXPECT_NE(composite_failure_text(one), "") << static_cast<int>(state);
    }
    EXPECT_EQ(composite_failure_text(composite{}), "");
}

}  // namespace
