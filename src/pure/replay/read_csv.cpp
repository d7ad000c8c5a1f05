#include "base/format_text.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "replay/recording.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace gputide::replay {
namespace {

constexpr std::size_t max_columns = max_metrics + 2;
constexpr double first_in_ms = 1e11;  // in seconds the year 5138, in milliseconds March 1973

enum class column : std::int32_t { time, metric, replicas };

struct table {
    char separator = ',';
    std::vector<column> columns;
    std::vector<std::size_t> metrics;  // for each column the index of its metric in the recording
};

// Removes the first cell from `line`: RFC 4180 quotes, without line ends inside.  Returns false for an open or misplaced
// quote.
bool take_cell(std::string_view& line, char separator, std::string& into) {
    into.clear();
    if (line.empty() || line.front() != '"') {
        const std::size_t end = std::min(line.find(separator), line.size());
        into = trim(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
        return into.find('"') == std::string::npos;
    }
    std::size_t at = 1;
    for (; at < line.size(); ++at) {
        if (line[at] != '"') {
            into += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
            into += line[at++];
        } else {
            break;
        }
    }
    if (at >= line.size()) return false;
    if (at + 1 < line.size() && line[at + 1] != separator) return false;
    line.remove_prefix(std::min(at + 2, line.size()));
    return true;
}

result<std::vector<std::string>> cells_of(std::string_view line, char separator, std::int64_t number) {
    std::vector<std::string> out;
    const bool ends_open = !line.empty() && line.back() == separator;  // the last cell is empty
    while (!line.empty()) {
        if (out.size() == max_columns) return at_line(number, format_text("more than {} columns", max_columns));
        out.emplace_back();
        if (!take_cell(line, separator, out.back()))
            return at_line(number, "a double quote is open or in the middle of a cell");
    }
    if (ends_open) out.emplace_back();
    return out;
}

// Parses "2026-11-21 10:00:00", as spreadsheets write it; UTC without a zone.
std::optional<std::int64_t> date_of(std::string text) {
    if (text.size() < 19 || (text[10] != 'T' && text[10] != 't' && text[10] != ' ')) return std::nullopt;
    text[10] = 'T';
    if (text.find_first_of("Zz+-", 19) == std::string::npos) text += 'Z';
    return parse_rfc3339(text);
}

std::optional<std::int64_t> time_of(const std::string& text) {
    if (const auto number = parse_json_number(text)) {
        const double ms = std::abs(*number) >= first_in_ms ? *number : *number * 1000.0;
        if (!(ms >= 0 && ms <= static_cast<double>(latest_ms))) return std::nullopt;
        return std::llround(ms);
    }
    return date_of(text);
}

char separator_of(std::string_view line) {
    for (const char c : {',', ';', '\t'})
        if (line.find(c) != std::string_view::npos) return c;
    return ',';
}

result<table> table_of(std::string_view line, std::int64_t number, recording& recording, bool& is_heading) {
    table out;
    out.separator = separator_of(line);
    result<std::vector<std::string>> cells = cells_of(line, out.separator, number);
    if (!cells) return cells.take_failure();
    if (cells->size() < 2)
        return at_line(number, format_text("expected a time and at least one value, got {}; a series is CSV like "
                                           "time,value, a saved query_range answer, or the log of gputided run",
                                           in_quotes(trim(line))));
    is_heading = !time_of(cells->front()).has_value();
    out.columns.push_back(column::time);
    out.metrics.push_back(0);
    std::size_t metric = 0;
    for (std::size_t i = 1; i < cells->size(); ++i) {
        const std::string name = is_heading ? lower((*cells)[i]) : std::string();
        const bool sizes = name == "replicas";
        out.columns.push_back(sizes ? column::replicas : column::metric);
        out.metrics.push_back(metric);
        if (sizes) continue;
        if (recording.metrics.size() <= metric) recording.metrics.resize(metric + 1);
        if (is_heading) recording.metrics[metric].name = (*cells)[i];
        ++metric;
    }
    if (metric == 0) return at_line(number, "no column has a metric; expected time,value[,value...][,replicas]");
    if (is_heading && parse_go_float(cells->front()))
        return at_line(number, format_text("the time {} cannot be read", in_quotes(cells->front())));
    return out;
}

result<void> take_metric(const std::string& cell, std::size_t metric, std::int64_t time_ms, std::int64_t number,
                         recording& recording) {
    if (cell.empty()) return {};
    if (cell == "null") return add_missing(recording, metric, time_ms, sample_state::empty);
    const auto value = parse_go_float(cell);
    if (!value) return at_line(number, "expected a number, NaN, null or an empty cell, got " + in_quotes(cell));
    return add_point(recording, metric, time_ms, *value);
}

result<void> take_size(const std::string& cell, std::int64_t time_ms, std::int64_t number, recording& recording) {
    if (cell.empty()) return {};
    const auto value = parse_go_float(cell);
    if (!value || !(*value >= 0 && *value <= 2'147'483'647.0))
        return at_line(number, "replicas: expected a whole number of 0 or more, got " + in_quotes(cell));
    return add_size(recording, time_ms, static_cast<std::int32_t>(std::lround(*value)));
}

result<void> take_line(const table& table, std::string_view line, std::int64_t number, recording& recording) {
    result<std::vector<std::string>> cells = cells_of(line, table.separator, number);
    if (!cells) return cells.take_failure();
    if (cells->size() != table.columns.size())
        return at_line(number, format_text("expected {} columns as in the first line, got {}", table.columns.size(),
                                           cells->size()));
    const auto time_ms = time_of(cells->front());
    if (!time_ms)
        return at_line(number,
                       format_text("the time {} cannot be read; expected RFC 3339, Unix seconds or Unix milliseconds",
                                   in_quotes(cells->front())));
    for (std::size_t i = 1; i < cells->size(); ++i) {
        result<void> ok = table.columns[i] == column::replicas
                              ? take_size((*cells)[i], *time_ms, number, recording)
                              : take_metric((*cells)[i], table.metrics[i], *time_ms, number, recording);
        if (!ok) return ok;
    }
    return {};
}

}  // namespace

result<void> read_csv(std::string_view text, recording& recording) {
    if (text.size() > max_text_bytes)
        return fail(status::limit, "series: more than {} MiB of text", max_text_bytes >> 20);
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    std::optional<table> by;
    for (std::int64_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (trim(line).empty() || line.front() == '#') continue;
        if (!by) {
            bool is_heading = false;
            result<table> made = table_of(line, number, recording, is_heading);
            if (!made) return made.take_failure();
            by = std::move(*made);
            if (is_heading) continue;
        }
        if (result<void> ok = take_line(*by, line, number, recording); !ok) return ok;
    }
    return {};
}

namespace {

void append_cell(std::string& out, const std::string& name) {
    out += ",\"";
    for (const char c : name) {
        if (c == '"') out += '"';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    out += '"';
}

// Writes Unix seconds, if time_of() parses them as seconds.
std::string time_text(std::int64_t time_ms) {
    if (static_cast<double>(time_ms) >= first_in_ms * 1000.0) return format_rfc3339_ms(time_ms);
    return format_text("{}.{}", time_ms / 1000, std::to_string(1000 + time_ms % 1000).substr(1));
}

std::string value_text(const point& point) {
    if (point.state == sample_state::ok) return shortest(point.value);
    return point.state == sample_state::not_a_number ? "NaN" : "null";
}

}  // namespace

std::string write_csv(const recording& recording) {
    std::string out = "time";
    for (std::size_t i = 0; i < recording.metrics.size(); ++i)
        append_cell(out, recording.metrics[i].name.empty() ? format_text("metric {}", i) : recording.metrics[i].name);
    if (!recording.sizes.empty()) out += ",replicas";
    out += "\n";
    std::vector<std::size_t> at(recording.metrics.size() + 1, 0);
    for (;;) {
        std::int64_t time_ms = latest_ms + 1;
        for (std::size_t i = 0; i < recording.metrics.size(); ++i)
            if (at[i] < recording.metrics[i].points.size())
                time_ms = std::min(time_ms, recording.metrics[i].points[at[i]].time_ms);
        if (at.back() < recording.sizes.size()) time_ms = std::min(time_ms, recording.sizes[at.back()].time_ms);
        if (time_ms > latest_ms) return out;
        out += time_text(time_ms);
        for (std::size_t i = 0; i < recording.metrics.size(); ++i) {
            out += ',';
            const std::vector<point>& points = recording.metrics[i].points;
            if (at[i] < points.size() && points[at[i]].time_ms == time_ms) out += value_text(points[at[i]++]);
        }
        if (!recording.sizes.empty()) {
            out += ',';
            if (at.back() < recording.sizes.size() && recording.sizes[at.back()].time_ms == time_ms)
                out += std::to_string(recording.sizes[at.back()++].replicas);
        }
        out += "\n";
    }
}

}  // namespace gputide::replay
