// The data of a response, and its reduction to one number.  Pure; shared by all sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::formats {

// The data of a response, from any source: series with labels and points, complete or reduced to the data for one number.

using labels = std::vector<std::pair<std::string, std::string>>;

struct point {
    std::int64_t time_ms = 0;
    double value = 0.0;  // may be NaN or infinite, unlike a sample's value
};

// A native histogram at one time.  Not a number: a query must convert it (with histogram_quantile, for example).
struct histogram {
    std::int64_t time_ms = 0;
    double count = 0.0;
    double sum = 0.0;
    std::size_t buckets = 0;
};

struct series {
    formats::labels labels;
    std::vector<point> points;  // one point for an instant value, several for a range
    std::vector<histogram> histograms;
};

// A complete response, before it is reduced to one number.
struct reading {
    std::string result_type;  // vector, matrix, scalar, string; other sources have their own names
    std::vector<formats::series> series;
    std::string string_value;  // result_type string
    std::int64_t string_time_ms = 0;
    std::vector<std::string> warnings;
    std::vector<std::string> infos;
    bool partial = false;  // the peer marked its response as incomplete
};

// A response reduced to the data for one number: the newest point of each series, no labels.
struct numbers {
    std::string result_type;
    std::vector<point> newest;  // of each series with a point, in the response's order
    std::size_t series = 0;     // number of series, histograms included
    std::string string_value;
    std::vector<std::string> warnings;
    std::vector<std::string> infos;
    bool partial = false;
};

// Returns the newest point of each series of a complete reading.
numbers numbers_of(const reading& whole);

// Tells whether a reducer is known: avg, max, min, sum, count, or pNN with 0 <= NN <= 100 (p95, p99.9).
bool known_reducer(std::string_view reducer);

struct reduced {
    double value = 0.0;
    std::int64_t time_ms = 0;  // of the oldest used point: a result is as old as its oldest input
    std::size_t used = 0;      // number of finite points; 0: no value
    std::size_t dropped = 0;   // number of NaN and infinities
};

// Reduces the points.  Percentiles by nearest rank: the k-th smallest with k = ceil(NN / 100 × n), at least the first.
// Examples: p90 of {1..10} → k = 9 → 9; p50 of {1, 2, 3} → k = 2 → 2.
reduced reduce(std::span<const point> points, std::string_view reducer);

}  // namespace gputide::formats
