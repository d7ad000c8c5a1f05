// The values that an expression can have, as an interval, and the arithmetic of such intervals.  Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source {

struct value_bounds {
    static constexpr double unknown = std::numeric_limits<double>::infinity();

    double min = -unknown;  // an infinity: no bound is known
    double max = unknown;
};

// 0 × infinity is 0: an infinity stands for a finite number that is not known.
inline double known_product(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }

// [0, 1] × [-1, -1] = [-1, 0]
inline value_bounds product_of(const value_bounds& a, const value_bounds& b) {
    const std::array corners = {known_product(a.min, b.min), known_product(a.min, b.max), known_product(a.max, b.min),
                                known_product(a.max, b.max)};
    const auto [min, max] = std::minmax_element(corners.begin(), corners.end());
    return {*min, *max};
}

inline value_bounds sum_of(const value_bounds& a, const value_bounds& b) { return {a.min + b.min, a.max + b.max}; }
inline value_bounds negative_of(const value_bounds& of) { return {-of.max, -of.min}; }

// Returns the bounds of a value that is one of the two.
inline value_bounds either_of(const value_bounds& a, const value_bounds& b) {
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

// The meaning of a query's number: a total over replicas or the load of one replica, and its largest possible value.
// It follows from the query's text and the known metrics, never from data.  Pure.

enum class quantity : std::int32_t {
    unknown = 0,
    constant = 1,  // a number that the query itself gives
    total = 2,     // grows with the load whatever the replicas are: sum(...), count(...)
    level = 3,     // how busy things are on average: avg(...), a quantile, sum(...) / count(...), a percentage
};

struct query_shape {
    source::quantity quantity = source::quantity::unknown;
    std::string because;  // of a level or total: "avg(...)", "a quotient of two totals", "reduce: avg"
    double max = std::numeric_limits<double>::infinity();  // the largest value that it can give; infinity: not known
    // `(x >= 0) or vector(0)`: NaN and what the comparison drops become a number
    bool is_constant_behind_comparison = false;
    std::vector<std::string> metrics;  // that it reads, each once
    std::string counted_twice;         // "a and b": two names of one metric that it adds up; "": none
};

// `reduce` makes one number of the query's series: avg, max, min, sum, count, pNN; "": the query gives one.
// A query that cannot be read (a dialect, a fault) has an unknown shape.
query_shape shape_of_query(std::string_view query, std::string_view reduce = {});

// A metric that stands alone, as a Pods metric of an HPA does.
query_shape shape_of_metric(std::string_view metric);

// The way in which a source that reads series by itself makes one number of them: of a page, of the driver.
struct series_use {
    std::string_view metric;
    double max = std::numeric_limits<double>::infinity();  // of one series, where the registry has no row: a level then
    bool is_rate = false;
    double scale = 1.0;
    std::string_view group_reduce;  // of the series of a group
    std::string_view reduce;        // of the groups, or of all series
};

// The same shape as the equal query has: {DCGM_FI_DEV_GPU_UTIL, reduce avg} as avg(DCGM_FI_DEV_GPU_UTIL).
query_shape shape_of_series(const series_use& use);

}  // namespace gputide::source
