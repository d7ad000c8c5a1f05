// The data of a response, from any source: series with labels and points, complete or reduced to the data for one number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gputide::formats {

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

}  // namespace gputide::formats
