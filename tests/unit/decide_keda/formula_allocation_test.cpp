// An evaluation allocates nothing: every operator new of this program is counted.
#include "allocations.hpp"
#include "decide/keda/fallback.hpp"
#include "evaluate.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test;

TEST(FormulaAllocation, ThereIsNoneAtEvaluation) {
    const std::int64_t before_compile = gputide::bench::so_far().count;
    const policy by = made(modified("let m = max(a, b); sum(filter(sort([a, b, m]), # > 1)) + median(a, b, m) * "
                                    "count(map([a, b], # * 2), # > 2) + (a > b ? 1 : 0)"),
                           {external("a"), external("b", 1)});
    ASSERT_GT(gputide::bench::so_far().count, before_compile) << "the count works";
    passed_metric metrics[2];
    metrics[0].value_milli = 2'000;
    metrics[1].value_milli = 3'000;
    const std::int64_t before = gputide::bench::so_far().count;
    std::int64_t total = 0;
    for (int i = 0; i < 1000; ++i) {
        metrics[0].value_milli = i;
        total += combine(by, metrics).value_milli;
    }
    EXPECT_EQ(gputide::bench::so_far().count, before);
    EXPECT_NE(total, 0);
}

TEST(FormulaAllocation, ThereIsNoneInAFailure) {
    const policy by = made(modified("a > 1 ? sum([1, true]) : 0"), {external("a")});
    passed_metric metrics[1];
    metrics[0].value_milli = 2'000;
    const std::int64_t before = gputide::bench::so_far().count;
    const composite got = combine(by, metrics);
    EXPECT_EQ(gputide::bench::so_far().count, before);
    EXPECT_EQ(got.state, composite_state::formula_error);
}

}  // namespace
