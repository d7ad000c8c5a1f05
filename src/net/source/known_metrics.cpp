#include "source/known_metrics.hpp"

#include "base/text.hpp"
#include "source/known_metrics_table.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace gputide::source {
namespace {

// The columns that the library contains.
constexpr auto known_rows = [] {
    std::array<known_metric, metric_rows.size()> out;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const metric_row& row = metric_rows[i];
        // The rows are string literals, which end with 0.
        const auto text = [](std::string_view of) { return of.empty() ? text::literal() : text::literal(of.data()); };
        out[i] = {text(row.name),   row.max,          row.is_level,         row.is_own_pods,
                  row.is_whole_gpu, text(row.server), text(row.gone_since), text(row.successor)};
    }
    return out;
}();

constexpr char folded(char c) { return c == ':' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Returns "DCGM_FI_DEV_GPU_UTIL" for "prometheus.googleapis.com|DCGM_FI_DEV_GPU_UTIL|gauge".
std::string_view bare_name(std::string_view name) {
    const std::size_t bar = name.find('|');
    if (bar == std::string_view::npos) return name;
    name.remove_prefix(bar + 1);
    return name.substr(0, name.find('|'));
}

// Compares without letter case, and with ':' equal to '_'.
bool is_alike(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return folded(x) == folded(y); });
}

bool fits(std::string_view pattern, std::string_view name) {
    if (pattern.back() != '*') return is_alike(pattern, name);
    pattern.remove_suffix(1);
    return is_alike(pattern, name.substr(0, pattern.size()));
}

}  // namespace

const known_metric* find_known_metric(std::string_view name) {
    const std::string_view bare = bare_name(name);
    const auto found = std::find_if(known_rows.begin(), known_rows.end(),
                                    [bare](const known_metric& row) { return fits(row.name, bare); });
    return found == known_rows.end() ? nullptr : &*found;
}

std::string successor_of(std::string_view older) {
    const known_metric* known = find_known_metric(older);
    if (known == nullptr || known->successor.empty()) return {};
    const std::string_view pattern = known->name;
    std::string out(known->successor);
    if (pattern.back() == '*') out += bare_name(older).substr(pattern.size() - 1);
    return out;
}

bool succeeds(std::string_view newer, std::string_view older) {
    const std::string name = successor_of(older);
    return !name.empty() && is_alike(name, bare_name(newer));
}

bool is_level_metric(std::string_view name) {
    if (const known_metric* known = find_known_metric(name)) return known->is_level;
    constexpr std::array<std::string_view, 8> words = {"percent", "perc",        "percentage",  "ratio",
                                                       "util",    "utilization", "utilisation", "saturation"};
    std::string_view rest = name;
    while (!rest.empty()) {
        const std::size_t end = rest.find_first_of("_:");
        if (std::find(words.begin(), words.end(), lower(rest.substr(0, end))) != words.end()) return true;
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return false;
}

bool is_desired_count(std::string_view name) { return lower(name).find("desired_replicas") != std::string::npos; }

}  // namespace gputide::source
