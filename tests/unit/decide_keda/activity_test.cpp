// From each trigger's read to isActive and isError.
#include "decide/keda/executor.hpp"
#include "make.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test;

passed_metric passed(bool active, bool error = false) {
    passed_metric out;
    out.active = active;
    out.error = error;
    return out;
}

TEST(Activity, OneActiveTriggerIsEnough) {
    const policy by = made({}, {external("a"), external("b", 1)});
    const passed_metric metrics[] = {passed(false), passed(true)};
    const activity got = activity_of(by, metrics, {});
    EXPECT_TRUE(got.active);
    EXPECT_FALSE(got.error);
}

TEST(Activity, AnErrorStandsBesideActivity) {
    const policy by = made({}, {external("a"), external("b", 1)});
    const passed_metric metrics[] = {passed(true), passed(true, true)};
    EXPECT_TRUE(activity_of(by, metrics, {}).active);
    EXPECT_TRUE(activity_of(by, metrics, {}).error);
    const passed_metric failed[] = {passed(false), passed(true, true)};
    EXPECT_FALSE(activity_of(by, failed, {}).active) << "a trigger in error is not active";
}

TEST(Activity, ResourcesAloneKeepTheObjectActive) {
    const policy by = made({}, {cpu()});
    const passed_metric metrics[] = {passed(false)};
    EXPECT_TRUE(activity_of(by, metrics, {}).active);
    const policy mixed = made({}, {cpu(), external("a", 1)});
    const passed_metric both[] = {passed(true), passed(false)};
    EXPECT_FALSE(activity_of(mixed, both, {}).active) << "beside another trigger they say nothing";
    EXPECT_FALSE(activity_of(made({}, {}), {}, {}).active) << "nothing at all is not active";
}

TEST(Activity, TheCompositeAloneDecides) {
    const policy by = made(modified("a"), {external("a")});
    const passed_metric metrics[] = {passed(true)};
    EXPECT_FALSE(activity_of(by, metrics, composite_of_value(by, composite_state::formula, 0)).active);
    const passed_metric quiet[] = {passed(false)};
    EXPECT_TRUE(activity_of(by, quiet, composite_of_value(by, composite_state::formula, 1)).active);
    const passed_metric failed[] = {passed(false, true)};
    EXPECT_FALSE(activity_of(by, failed, composite_of_value(by, composite_state::formula, 1)).active);
}

TEST(Activity, AFailedFormulaIsAnErrorUnlessStrict) {
    const passed_metric metrics[] = {passed(true)};
    formula_result nothing;
    nothing.failure.error = formula_error::divide_by_zero;
    const policy by = made(modified("a"), {external("a")});
    EXPECT_TRUE(activity_of(by, metrics, composite_of_result(by, nothing)).error);
    const policy keda = made(strict(modified("a")), {external("a")});
    EXPECT_FALSE(activity_of(keda, metrics, composite_of_result(keda, nothing)).error);
    EXPECT_FALSE(activity_of(keda, metrics, composite_of_result(keda, nothing)).active);
}

}  // namespace
