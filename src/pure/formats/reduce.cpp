// Reduces many numbers to one.
#include "formats/reduce.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace gputide::formats {
namespace {

std::optional<double> percentile_of(std::string_view reducer) {
    if (reducer.size() < 2 || reducer.front() != 'p') return std::nullopt;
    const auto percent = parse_json_number(reducer.substr(1));
    if (!percent || *percent < 0.0 || *percent > 100.0) return std::nullopt;
    return percent;
}

double nearest_rank(std::vector<double>& values, double percent) {
    const double exact = percent / 100.0 * static_cast<double>(values.size());
    // 99.9 / 100 × 1000 is slightly above 999 in binary; such an error must not raise the rank.
    const double rank = std::max(1.0, std::ceil(exact - 1e-9));
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

double combine(std::vector<double>& values, std::string_view reducer) {
    if (reducer == "max") return *std::max_element(values.begin(), values.end());
    if (reducer == "min") return *std::min_element(values.begin(), values.end());
    if (reducer == "count") return static_cast<double>(values.size());
    if (const auto percent = percentile_of(reducer)) return nearest_rank(values, *percent);
    double sum = 0.0;
    for (const double value : values) sum += value;
    if (reducer == "sum") return sum;
    if (std::isfinite(sum)) return sum / static_cast<double>(values.size());
    double mean = 0.0;  // mean without overflow of the sum: divides first
    for (const double value : values) mean += value / static_cast<double>(values.size());
    return mean;
}

}  // namespace

numbers numbers_of(const reading& whole) {
    numbers out;
    out.result_type = whole.result_type;
    out.series = whole.series.size();
    out.newest.reserve(whole.series.size());
    for (const series& series : whole.series) {
        if (!series.points.empty()) out.newest.push_back(series.points.back());
    }
    out.string_value = whole.string_value;
    out.warnings = whole.warnings;
    out.infos = whole.infos;
    out.partial = whole.partial;
    return out;
}

bool known_reducer(std::string_view reducer) {
    for (const std::string_view known : {"avg", "max", "min", "sum", "count"}) {
        if (reducer == known) return true;
    }
    return percentile_of(reducer).has_value();
}

reduced reduce(std::span<const point> points, std::string_view reducer) {
    reduced out;
    std::vector<double> values;
    values.reserve(points.size());
    for (const point& point : points) {
        if (!std::isfinite(point.value)) continue;
        out.time_ms = values.empty() ? point.time_ms : std::min(out.time_ms, point.time_ms);
        values.push_back(point.value);
    }
    out.used = values.size();
    out.dropped = points.size() - values.size();
    if (!values.empty()) out.value = combine(values, reducer);
    return out;
}

}  // namespace gputide::formats
