#include "replay/series.hpp"

#include "common/log.hpp"
#include "common/options.hpp"
#include "common/text.hpp"
#include "common/times.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gputided {

namespace {

// Returns the query, or "" if a credential for opening the source is missing; a replay needs none.
std::string asked(const replay_options& options, const std::string& scaler, const std::vector<manifest_file>& files) {
    try {
        const json metrics = json::parse(open_scaler(scaler, options.shared, files).describe()).at("metrics");
        return metrics.empty() ? "" : metrics.front().value("asks", "");
    } catch (const gputide::failure&) {
        return "";
    }
}

}  // namespace

first_metric first_metric_of(const replay_options& options, const std::string& scaler,
                             const std::vector<manifest_file>& files) {
    gputide::options consent = library_options(options.shared, files);
    consent.scaler(scaler);
    const json policy = json::parse(gputide::policy::open(files.front().text, consent).describe());
    const json metrics = policy.value("metrics", json::array());
    const json first = metrics.empty() ? json::object() : metrics.front();
    return {first.value("kind", ""), first.value("type", ""), asked(options, scaler, files)};
}

namespace {

// Returns "avg" for `avg by (pod) (x)`; "" if the query does not begin with a known aggregation of PromQL.
std::string aggregation_of(const std::string& query) {
    std::size_t at = query.find_first_not_of(" \t\n(");
    std::string word;
    for (; at < query.size() && std::isalpha(static_cast<unsigned char>(query[at])) != 0; ++at) {
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(query[at])));
    }
    constexpr std::array<std::string_view, 5> known{"avg", "sum", "max", "min", "quantile"};
    return std::ranges::find(known, word) != known.end() ? word : "";
}

}  // namespace

reducer reducer_of(const first_metric& metric) {
    const std::string word = aggregation_of(metric.asks);
    if (metric.kind == "Pods" || metric.type == "Utilization") return reducer::mean;
    if (word == "sum" || (word.empty() && metric.type == "AverageValue")) return reducer::sum;
    return word == "max" ? reducer::max : word == "min" ? reducer::min : reducer::mean;
}

bool is_mean_over_replicas(const first_metric& metric) {
    const bool is_per_pod = metric.kind != "External" && metric.kind != "Object";
    return is_per_pod || metric.type == "Value" || metric.type == "Utilization" ||
           aggregation_of(metric.asks) == "avg" || aggregation_of(metric.asks) == "quantile";
}

namespace {

constexpr std::array<std::string_view, 5> container_names{"container", "pod", "instance", "replica", "gpu"};

struct columns {
    char separator = ',';
    std::size_t container = 0;  // 0: not the long form
    std::size_t value = 0;
};

struct long_line {
    std::int64_t time_ms = 0;
    std::size_t container = 0;
    double value = NAN;
};

columns columns_of(const std::string& heading) {
    columns out;
    const std::size_t at = heading.find_first_of(",;\t");
    if (at != std::string::npos) out.separator = heading[at];
    const std::vector<std::string> names = split(heading, out.separator);
    if (names.size() != 3) return out;
    for (std::size_t i = 1; i < names.size(); ++i) {
        const std::string name = cell_text(names[i]);
        if (std::ranges::find(container_names, name) != container_names.end()) out.container = i;
    }
    out.value = 3 - out.container;
    return out;
}

double value_of(const std::string& cell) {
    if (cell.empty() || cell == "null") return NAN;
    const std::optional<double> out = number_in(cell);
    if (!out) throw usage_error("expected a number, got " + printable(cell));
    return *out;
}

std::vector<long_line> lines_of(const std::string& text, const columns& where) {
    std::vector<long_line> out;
    std::unordered_map<std::string, std::size_t> names;
    each_row(text, where.separator, "line ", "", [&](const auto& cells, std::int64_t line) {
        if (line == 1) return;  // the heading
        if (cells.size() != 3) throw usage_error("expected three cells");
        const std::size_t container = names.try_emplace(cells[where.container], names.size()).first->second;
        out.push_back({parse_cell_time_ms(cells[0]), container, value_of(cells[where.value])});
    });
    if (out.empty()) throw usage_error("no line after the heading");
    return out;
}

// Returns the median time between two lines of a container.
std::int64_t usual_step_ms(const std::vector<long_line>& lines) {
    std::unordered_map<std::size_t, std::int64_t> last;
    std::vector<std::int64_t> steps;
    for (const long_line& line : lines) {
        const auto [at, is_first] = last.try_emplace(line.container, line.time_ms);
        if (!is_first && line.time_ms > at->second) steps.push_back(line.time_ms - at->second);
        at->second = line.time_ms;
    }
    return steps.empty() ? 1 : median_ms(std::move(steps));
}

double reduced(const std::map<std::size_t, double>& values, reducer how) {
    double sum = 0;
    double max = -INFINITY;
    double min = INFINITY;
    int count = 0;
    for (const auto& [container, value] : values) {
        if (!std::isfinite(value)) continue;
        sum += value;
        max = std::max(max, value);
        min = std::min(min, value);
        ++count;
    }
    if (count == 0) return NAN;
    return how == reducer::sum ? sum : how == reducer::max ? max : how == reducer::min ? min : sum / count;
}

}  // namespace

bool is_long_form(const std::string& text) { return columns_of(text.substr(0, text.find('\n'))).container > 0; }

std::string joined_form(const std::string& text, reducer how) {
    std::vector<long_line> lines = lines_of(text, columns_of(text.substr(0, text.find('\n'))));
    const auto earlier = [](const long_line& a, const long_line& b) { return a.time_ms < b.time_ms; };
    std::stable_sort(lines.begin(), lines.end(), earlier);
    const std::int64_t step_ms = usual_step_ms(lines);
    std::string out = "time,value,replicas\n";
    std::map<std::size_t, double> values;  // of the current time, by container
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::int64_t moment = lines[i].time_ms / step_ms;
        values[lines[i].container] = lines[i].value;
        if (i + 1 < lines.size() && lines[i + 1].time_ms / step_ms == moment) continue;
        const double value = reduced(values, how);
        char written[96];
        std::snprintf(written, sizeof written, "%" PRId64 ",%.9g,%zu\n", moment * step_ms, value, values.size());
        out += written;
        values.clear();
    }
    return out;
}

}  // namespace gputided
