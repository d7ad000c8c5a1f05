#include "common/files.hpp"
#include "common/log.hpp"
#include "common/text.hpp"
#include "common/times.hpp"
#include "replay/series.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace gputided {

namespace {

constexpr std::size_t max_delays = 1'000;  // the library's limit
constexpr std::size_t max_listed = 5;
constexpr std::string_view with_node = "+node";
constexpr std::array<std::string_view, 3> delay_columns{"startup", "duration", "seconds"};

// Returns the column of the delays.  A single column may have any name.
std::size_t delay_column(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (std::ranges::find(delay_columns, names[i]) != delay_columns.end()) return i;
    }
    if (names.size() == 1) return 0;
    throw usage_error("one of several columns must have the name startup, duration or seconds");
}

std::int64_t delay_ms(const std::string& text) {
    const std::optional<double> seconds = number_in(text);
    if (!seconds) return parse_duration_ms(text, "duration");
    if (!(*seconds >= 0)) throw usage_error("duration " + printable(text) + ": expected a number, 0 or more");
    return std::llround(*seconds * 1000.0);
}

std::vector<std::int64_t> measured_ms(const std::string& path) {
    std::vector<std::int64_t> out;
    std::optional<std::size_t> column;
    each_row(read_text(path), ',', "--startup @" + path + ": line ", path, [&](const auto& cells, std::int64_t) {
        const char first = cells.back().c_str()[0];
        const bool is_heading = !column && (first < '0' || first > '9');
        if (!column) column = delay_column(cells);
        if (!is_heading) out.push_back(delay_ms(cells[std::min(*column, cells.size() - 1)]));
    });
    if (out.empty()) throw usage_error("--startup @" + path + ": the file contains no duration", path);
    std::sort(out.begin(), out.end());
    return out;
}

// Returns `count` values with even distances in the sorted ones, including the first and the last.
std::vector<std::int64_t> quantiles(const std::vector<std::int64_t>& sorted, std::size_t count) {
    if (sorted.size() <= count) return sorted;
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(sorted[i * (sorted.size() - 1) / (count - 1)]);
    return out;
}

bool waits_for_node(const std::string& delay) {
    return delay.size() > with_node.size() && std::string_view(delay).ends_with(with_node);
}

std::vector<std::int64_t> own_delays_ms(const std::string& given) {
    if (given.rfind('@', 0) == 0) return quantiles(measured_ms(given.substr(1)), max_delays);
    return {given == "0" ? 0 : parse_duration_ms(given, "--startup")};
}

}  // namespace

std::vector<std::int64_t> startup_delays_ms(const std::vector<std::string>& given,
                                            std::optional<std::int64_t> node_ms) {
    std::vector<std::int64_t> out;
    for (const std::string& delay : given) {
        const bool waits = waits_for_node(delay);
        if (waits && !node_ms) {
            throw usage_error("--startup " + printable(delay) + ": needs --pools: the longest delay_s is added");
        }
        for (const std::int64_t own_ms :
             own_delays_ms(waits ? delay.substr(0, delay.size() - with_node.size()) : delay))
            out.push_back(own_ms + (waits ? *node_ms : 0));
    }
    return out;
}

bool all_wait_for_node(const std::vector<std::string>& given) {
    return !given.empty() && std::ranges::all_of(given, &waits_for_node);
}

std::int64_t median_ms(std::vector<std::int64_t> delays_ms) {
    const auto middle = delays_ms.begin() + static_cast<std::ptrdiff_t>(delays_ms.size() / 2);
    std::nth_element(delays_ms.begin(), middle, delays_ms.end());
    return *middle;
}

std::string delays_text(std::vector<std::int64_t> delays_ms) {
    const auto text = [](std::int64_t ms) { return figure(static_cast<double>(ms) / 1000.0) + " s"; };
    std::vector<std::string> parts;
    if (delays_ms.size() <= max_listed) {
        for (const std::int64_t delay_ms : delays_ms) parts.push_back(text(delay_ms));
        return joined(parts, ", ");
    }
    std::sort(delays_ms.begin(), delays_ms.end());
    const auto at = [&](std::size_t percent) { return text(delays_ms[(delays_ms.size() - 1) * percent / 100]); };
    return std::to_string(delays_ms.size()) + " durations: p10 " + at(10) + ", p50 " + at(50) + ", p90 " + at(90) +
           ", longest " + at(100);
}

}  // namespace gputided
