#include "formats/reduce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gputide {
namespace {

using formats::known_reducer;
using formats::point;
using formats::reduce;

std::vector<point> points(const std::vector<double>& values) {
    std::vector<point> out;
    std::int64_t time = 1000;
    for (const double value : values) out.push_back({time++, value});
    return out;
}

double reduced(const std::vector<double>& values, std::string_view how) { return reduce(points(values), how).value; }

TEST(Reduce, KnowsItsWords) {
    for (const char* how : {"avg", "max", "min", "sum", "count", "p0", "p50", "p99.9", "p100"}) {
        EXPECT_TRUE(known_reducer(how)) << how;
    }
    for (const char* how : {"", "p", "p101", "p-1", "p05", "median", "AVG", "pNaN", "p1e9"}) {
        EXPECT_FALSE(known_reducer(how)) << how;
    }
}

TEST(Reduce, GivesThePlainFigures) {
    const std::vector<double> values = {4, 1, 3, 2};
    EXPECT_EQ(reduced(values, "avg"), 2.5);
    EXPECT_EQ(reduced(values, "sum"), 10.0);
    EXPECT_EQ(reduced(values, "min"), 1.0);
    EXPECT_EQ(reduced(values, "max"), 4.0);
    EXPECT_EQ(reduced(values, "count"), 4.0);
}

TEST(Reduce, TakesPercentilesByNearestRank) {
    const std::vector<double> ten = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    EXPECT_EQ(reduced(ten, "p90"), 9.0);
    EXPECT_EQ(reduced(ten, "p91"), 10.0);
    EXPECT_EQ(reduced(ten, "p0"), 1.0);
    EXPECT_EQ(reduced(ten, "p100"), 10.0);
    EXPECT_EQ(reduced({1, 2, 3}, "p50"), 2.0);
    EXPECT_EQ(reduced({7}, "p1"), 7.0);
    std::vector<double> thousand(1000);
    for (std::size_t i = 0; i < thousand.size(); ++i) thousand[i] = static_cast<double>(i + 1);
    EXPECT_EQ(reduced(thousand, "p99.9"), 999.0);
}

TEST(Reduce, DropsAndCountsWhatIsNotFinite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    const auto got = reduce(points({nan, 2, inf, 4}), "avg");
    EXPECT_EQ(got.value, 3.0);
    EXPECT_EQ(got.used, 2U);
    EXPECT_EQ(got.dropped, 2U);
    EXPECT_EQ(got.time_ms, 1001);  // of the oldest one used
    EXPECT_EQ(reduce(points({nan}), "max").used, 0U);
}

TEST(Reduce, AveragesNumbersWhoseSumOverflows) {
    const double large = std::numeric_limits<double>::max();
    EXPECT_EQ(reduced({large, large}, "avg"), large);
    EXPECT_TRUE(std::isinf(reduced({large, large}, "sum")));
}

}  // namespace
}  // namespace gputide
