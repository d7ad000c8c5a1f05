// The series of a replay: of --series, also with a line per container, or the fetched past; and the delays of --startup.
#include "common/log.hpp"
#include "common/text.hpp"
#include "replay/replay.hpp"

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

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

enum class reducer { mean, sum, max, min };

// Returns the aggregation that the trigger's query would use for the containers' values.
reducer reducer_of(const first_metric& metric) {
    const std::string word = aggregation_of(metric.asks);
    if (metric.kind == "Pods" || metric.type == "Utilization") return reducer::mean;
    if (word == "sum" || (word.empty() && metric.type == "AverageValue")) return reducer::sum;
    return word == "max" ? reducer::max : word == "min" ? reducer::min : reducer::mean;
}

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

first_metric first_metric_of(const replay_options& options, const std::string& scaler,
                             const std::vector<manifest_file>& files) {
    gputide::options consent = library_options(options.shared, files);
    consent.scaler(scaler);
    const json policy = json::parse(gputide::policy::open(files.front().text, consent).describe());
    const json metrics = policy.value("metrics", json::array());
    const json first = metrics.empty() ? json::object() : metrics.front();
    return {first.value("kind", ""), first.value("type", ""), asked(options, scaler, files)};
}

bool is_mean_over_replicas(const first_metric& metric) {
    const bool is_per_pod = metric.kind != "External" && metric.kind != "Object";
    return is_per_pod || metric.type == "Value" || metric.type == "Utilization" ||
           aggregation_of(metric.asks) == "avg" || aggregation_of(metric.asks) == "quantile";
}

std::string series_text(std::string text, const first_metric& metric) {
    const columns where = columns_of(text.substr(0, text.find('\n')));
    if (where.container == 0) return text;
    const reducer how = reducer_of(metric);
    std::vector<long_line> lines = lines_of(text, where);
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

// ---- The past of a metric: fetched in parts that Prometheus accepts, and stored in the file of --cache.

namespace {

constexpr std::string_view cache_mark = "# gputided replay cache ";
constexpr std::string_view piece_mark = "# fetched until ";

// Returns the 64-bit FNV-1a hash (Fowler, Noll, Vo): a changed manifest needs a new cache.
std::string fingerprint(const std::vector<manifest_file>& files) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const manifest_file& file : files) {
        for (const char letter : file.text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    }
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash));
    return out;
}

// A file with CSV for --series and comments about its content.  Each part is appended, so that a later run continues after an
// interruption.
class past_cache {
  public:
    // path "": stores nothing.  Continues an existing file if it has the same scaler, manifests and step, and does not begin later
    // than `wanted`; otherwise replaces it.  Throws usage_error if the file is not a cache.
    past_cache(std::string path, const std::string& scaler, const std::vector<manifest_file>& files,
               std::int64_t step_ms, const time_span& wanted)
        : path_(std::move(path)) {
        if (path_.empty()) return;
        const json heading{
            {"scaler", scaler}, {"manifest", fingerprint(files)}, {"step_ms", step_ms}, {"from_ms", wanted.from_ms}};
        if (exists(path_)) read(read_text(path_, max_series_bytes), heading);
        replace_text(path_, text_.empty() ? std::string(cache_mark) + heading.dump() + "\n" : text_);
    }

    const std::string& text() const { return text_; }            // CSV; "": nothing is stored
    std::int64_t fetched_until_ms() const { return until_ms_; }  // inclusive

    // Appends a part.
    void add(const std::string& csv, std::int64_t until_ms) {
        if (path_.empty()) return;
        const std::size_t first_row = std::exchange(has_columns_, true) ? csv.find('\n') + 1 : 0;
        append_text(path_, csv.substr(first_row) + std::string(piece_mark) + std::to_string(until_ms) + "\n");
    }

  private:
    // Reads a cache.  Ignores text after the last mark, because the last run was interrupted there.
    void read(const std::string& text, const json& heading) {
        if (!text.starts_with(cache_mark))
            throw usage_error("--cache " + path_ + ": this file is not a cache of gputided; name another file", path_);
        const std::size_t mark = text.rfind(piece_mark);
        const std::size_t end = mark == std::string::npos ? mark : text.find('\n', mark);
        if (end == std::string::npos) return;
        const json found =
            json::parse(text.substr(cache_mark.size(), text.find('\n') - cache_mark.size()), nullptr, false);
        if (!found.is_object() || !found.value("from_ms", json()).is_number_integer()) return;
        for (const char* member : {"scaler", "manifest", "step_ms"}) {
            if (found.value(member, json()) != heading.at(member)) return;
        }
        const std::int64_t wanted_ms = heading.at("from_ms");
        until_ms_ = std::atoll(text.c_str() + mark + piece_mark.size());
        if (integer_at(found, "from_ms") > wanted_ms || until_ms_ + integer_at(heading, "step_ms") < wanted_ms) return;
        text_ = text.substr(0, end + 1);
        has_columns_ = true;
    }

    std::string path_;
    std::string text_;
    std::int64_t until_ms_ = 0;
    bool has_columns_ = false;
};

constexpr std::int64_t points_per_query = 10'000;

}  // namespace

void fetch_past(const replay_options& options, std::int64_t before_ms, const std::string& scaler,
                const std::vector<manifest_file>& files, gputide::series& series) {
    const std::int64_t step_ms = parse_duration_ms(options.step, "--step");
    if (step_ms <= 0) throw usage_error("--step " + options.step + ": expected more than 0");
    time_span wanted = parse_span_ms(options.from, options.to, step_ms);
    wanted.from_ms = std::max<std::int64_t>(0, (wanted.from_ms - before_ms) / step_ms * step_ms);
    gputide::scaler source = open_scaler(scaler, options.shared, files);
    const auto metrics = static_cast<std::int32_t>(json::parse(source.describe()).at("metrics").size());
    past_cache cache(options.cache, scaler, files, step_ms, wanted);
    if (!cache.text().empty()) {
        series.read(0, cache.text());
        wanted.from_ms = std::max(wanted.from_ms, cache.fetched_until_ms() + step_ms);
        log_line("replay: " + options.cache + " has the first part; continuing from there");
    }
    const std::int64_t each_ms = step_ms * points_per_query;
    const std::int64_t pieces = wanted.to_ms < wanted.from_ms ? 0 : (wanted.to_ms - wanted.from_ms) / each_ms + 1;
    std::int64_t points = 0;
    for (std::int64_t number = 0; number < pieces; ++number) {
        const std::int64_t start_ms = wanted.from_ms + number * each_ms;
        const std::int64_t end_ms = std::min(start_ms + each_ms - step_ms, wanted.to_ms);
        gputide::series piece;
        for (std::int32_t metric = 0; metric < metrics; ++metric) {
            piece.fetch(source, metric, start_ms, end_ms, step_ms, options.timeout_ms);
        }
        const std::string csv = piece.write();
        series.read(0, csv);
        cache.add(csv, end_ms);
        points += (end_ms - start_ms) / step_ms + 1;
        show_progress("replay: " + std::to_string(number + 1) + " of " + std::to_string(pieces) + " parts fetched, " +
                          std::to_string(points) + " points",
                      number + 1 == pieces);
    }
}

}  // namespace gputided
