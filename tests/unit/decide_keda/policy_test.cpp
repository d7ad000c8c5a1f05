// Tests what only the whole shows: names, the formula against the triggers, the target, pause annotations.
#include "base/limits.hpp"
#include "decide/decision.hpp"
#include "decide/formula/formula.hpp"
#include "evaluate.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test;

std::string failure(const manifest::scaling& spec, std::vector<metric_policy> metrics) {
    const auto made = make_policy(spec, std::move(metrics));
    return made ? "" : made.failure().message;
}

void expect_failure(const std::string& part, const manifest::scaling& spec, std::vector<metric_policy> metrics) {
    const std::string got = failure(spec, std::move(metrics));
    EXPECT_NE(got.find(part), std::string::npos) << got;
}

TEST(Policy, TwoMetricsOfOneName) {
    manifest::scaling spec;
    spec.name = "gpu";
    EXPECT_EQ(failure(spec, {external("a"), external("b")}),
              "metricName s0-prometheus defined multiple times in ScaledObject gpu");
    spec.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    EXPECT_EQ(failure(spec, {external("a"), external("b")}), "") << "an HPA may ask twice for one metric";
}

TEST(Policy, TooManyTriggers) {
    std::vector<metric_policy> metrics;
    for (std::size_t i = 0; i <= gputide::limits::triggers; ++i) metrics.push_back(external("", i));
    expect_failure("at most 256 triggers, got 257", {}, metrics);
}

TEST(Policy, ModifiersNeedFormulaAndTarget) {
    expect_failure("error ScalingModifiers.Formula is mandatory", modified(""), {external("a")});
    expect_failure("formula is given but target is empty", modified("a", ""), {external("a")});
    for (const char* bad : {"0", "-1", "x", "NaN", "1e400"})
        expect_failure("error converting target for scalingModifiers (string->float) to valid target",
                       modified("a", bad), {external("a")});
    expect_failure("takes targets of 0.001 and more", modified("a", "0.0001"), {external("a")});
    manifest::scaling spec = modified("a");
    spec.modifiers->metric_type = manifest::target_type::utilization;
    expect_failure("error trigger type is Utilization", spec, {external("a")});
}

TEST(Policy, FormulasKnowNamedExternalTriggersOnly) {
    expect_failure("error validating formula in ScalingModifiers: formula column 5: unknown name b", modified("a + b"),
                   {external("a")});
    metric_policy resource = cpu();
    resource.user_name = "load";
    expect_failure("unknown name load; load is a cpu or memory trigger", modified("load"),
                   {resource, external("a", 1)});
    expect_failure("unknown name lod; did you mean", modified("let load = a; load + lod"),
                   {resource, external("loud", 1), external("a", 2)});
    expect_failure("no trigger has a name", modified("a"), {external("")});
}

TEST(Policy, TargetsAreTruncated) {
    const policy by = made(modified("a", "0.0159"), {external("a")});
    EXPECT_EQ(by.composite_target_milli, 15);
    EXPECT_DOUBLE_EQ(by.composite_target, 0.0159);
    ASSERT_NE(by.formula, nullptr);
}

TEST(Policy, APausedDirectionIsDisabled) {
    manifest::scaling spec;
    spec.pause.scale_in = true;
    const policy fresh = made(spec, {external("a")});
    ASSERT_TRUE(fresh.scaling.behavior);
    EXPECT_EQ(fresh.scaling.behavior->down.select, manifest::select_policy::disabled);
    EXPECT_EQ(fresh.scaling.behavior->down.window_s, 300);
    EXPECT_EQ(fresh.scaling.behavior->up.select, manifest::select_policy::max);
    ASSERT_EQ(fresh.scaling.behavior->up.policies.size(), 2U);
    EXPECT_EQ(fresh.scaling.behavior->up.policies[0].value, 4);
    EXPECT_EQ(fresh.scaling.behavior->up.policies[0].period_s, 15);

    spec.pause = {};
    spec.pause.scale_out = true;
    spec.behavior = manifest::behavior{};
    spec.behavior->up.window_s = 7;
    const policy edited = made(spec, {external("a")});
    EXPECT_EQ(edited.scaling.behavior->up.select, manifest::select_policy::disabled);
    EXPECT_EQ(edited.scaling.behavior->up.window_s, 7);
    EXPECT_EQ(edited.scaling.behavior->down.select, manifest::select_policy::max);

    EXPECT_FALSE(made({}, {external("a")}).scaling.behavior);
}

using namespace gputide::decide;

TEST(Names, AreTheOnesOfTheJson) {
    EXPECT_STREQ(limit_name(limit::none), "none");
    EXPECT_STREQ(limit_name(limit::scale_down_limit), "scale_down_limit");
    EXPECT_STREQ(limit_name(limit::budget), "budget");
    EXPECT_STREQ(limit_name(limit::no_capacity), "no_capacity");
    EXPECT_STREQ(origin_name(origin::executor), "executor");
    EXPECT_STREQ(condition_name(condition_type::able_to_scale), "AbleToScale");
    EXPECT_STREQ(condition_name(condition_type::paused), "Paused");
    EXPECT_STREQ(truth_name(truth::unknown), "Unknown");
    EXPECT_STREQ(truth_name(truth::absent), "");
    EXPECT_STREQ(reason_name(reason::scale_down_stabilized), "ScaleDownStabilized");
    EXPECT_STREQ(reason_name(reason::scaler_cooldown), "ScalerCooldown");
    EXPECT_STREQ(reason_name(reason::scaled_object_paused), "ScaledObjectPaused");
    EXPECT_STREQ(event_name(event::none), "");
    EXPECT_STREQ(event_name(event::deactivation_failed), "KEDAScaleTargetDeactivationFailed");
}

TEST(Names, OfUnknownNumbersAreEmpty) {
    EXPECT_STREQ(limit_name(static_cast<limit>(99)), "");
    EXPECT_STREQ(reason_name(static_cast<reason>(-1)), "");
}

}  // namespace
