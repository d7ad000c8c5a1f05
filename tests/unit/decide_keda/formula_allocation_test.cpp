// An evaluation allocates nothing: every operator new of this program is counted.
#include "decide/keda/fallback.hpp"
#include "evaluate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size) {
    ++allocations;
    if (void* out = std::malloc(size == 0 ? 1 : size)) return out;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* at) noexcept { std::free(at); }
void operator delete[](void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t) noexcept { std::free(at); }

namespace {

using namespace test;

TEST(FormulaAllocation, ThereIsNoneAtEvaluation) {
    const std::size_t before_compile = allocations;
    const policy by = made(modified("let m = max(a, b); sum(filter(sort([a, b, m]), # > 1)) + median(a, b, m) * "
                                    "count(map([a, b], # * 2), # > 2) + (a > b ? 1 : 0)"),
                           {external("a"), external("b", 1)});
    ASSERT_GT(allocations, before_compile) << "the count works";
    passed_metric metrics[2];
    metrics[0].value_milli = 2'000;
    metrics[1].value_milli = 3'000;
    const std::size_t before = allocations;
    std::int64_t total = 0;
    for (int i = 0; i < 1000; ++i) {
        metrics[0].value_milli = i;
        total += combine(by, metrics).value_milli;
    }
    EXPECT_EQ(allocations, before);
    EXPECT_NE(total, 0);
}

TEST(FormulaAllocation, ThereIsNoneInAFailure) {
    const policy by = made(modified("a > 1 ? sum([1, true]) : 0"), {external("a")});
    passed_metric metrics[1];
    metrics[0].value_milli = 2'000;
    const std::size_t before = allocations;
    const composite got = combine(by, metrics);
    EXPECT_EQ(allocations, before);
    EXPECT_EQ(got.state, composite_state::formula_error);
}

}  // namespace
