// The possible values of an expression as an interval, and the arithmetic of such intervals.  Pure.
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

    double min = -unknown;  // minus infinity: unknown
    double max = unknown;
};

// Returns the product; 0 × infinity is 0, because an infinity stands for an unknown finite number.
inline double known_product(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }

// Returns the product of two intervals: [0, 1] × [-1, -1] = [-1, 0].
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

// The meaning of a query's value: a total over all replicas or the load of one replica, and its maximum.  Derived from the
// query's text and the known metrics, never from data.  Pure.

enum class quantity : std::int32_t {
    unknown = 0,
    constant = 1,  // a constant in the query
    total = 2,     // grows with the load, independent of the replica count: sum(...), count(...)
    level = 3,     // average load: avg(...), a quantile, sum(...) / count(...), a percentage
};

struct query_shape {
    source::quantity quantity = source::quantity::unknown;
    std::string because;  // for a level or total: "avg(...)", "a quotient of two totals", "reduce: avg"
    double max = std::numeric_limits<double>::infinity();  // maximum result; infinity: unknown
    // `(x >= 0) or vector(0)`: NaN and values that the comparison drops become a number
    bool is_constant_behind_comparison = false;
    std::vector<std::string> metrics;  // metrics that the query reads, without duplicates
    std::string counted_twice;         // "a and b": two names of one metric that are added together; "": none
};

// Returns the shape of a query.  `reduce` makes one number of its series: avg, max, min, sum, count, pNN; "": the query returns
// one series.  The shape is unknown if the query cannot be parsed (another dialect, a syntax error).
query_shape shape_of_query(std::string_view query, std::string_view reduce = {});

// Returns the shape of a single metric, as in a Pods metric of an HPA.
query_shape shape_of_metric(std::string_view metric);

// The rules by which a source that reads series itself (from a page or a driver) reduces them to one number.
struct series_use {
    std::string_view metric;
    // Maximum of one series, for a metric that the table does not have; its quantity is then `level`.
    double max = std::numeric_limits<double>::infinity();
    bool is_rate = false;
    double scale = 1.0;
    std::string_view group_reduce;  // reduces the series of each group
    std::string_view reduce;        // reduces the groups, or all series
};

// Returns the shape of the equivalent query: {DCGM_FI_DEV_GPU_UTIL, reduce avg} has the shape of avg(DCGM_FI_DEV_GPU_UTIL).
query_shape shape_of_series(const series_use& use);

// Detects queries that return several elements: a trigger takes one element, and KEDA's prometheus scaler fails on more.
// Pure.

// Says why the result has one element per pod: "vllm:num_requests_waiting has a series per pod", "by (pod)".  Returns "" if it
// has one element, or if its series are unknown.
std::string several_elements_of(std::string_view query);

}  // namespace gputide::source
