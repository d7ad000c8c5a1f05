// Parses sample lines of both grammars.
#include "formats/exposition/page.hpp"

#include "base/limits.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"
#include "formats/exposition/number.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::formats::exposition {

// Selects the grammar by Content-Type.

result<format> format_of(std::string_view content_type) {
    const std::string_view media = trim(content_type.substr(0, content_type.find(';')));
    if (equal_ignoring_case(media, "application/openmetrics-text")) return format::openmetrics;
    if (equal_ignoring_case(media, "application/vnd.google.protobuf")) {
        return fail(error_class::bad_type,
                    "the exporter returned the protobuf format; expected text: configure it to "
                    "serve text/plain;version=0.0.4");
    }
    return format::text;
}

namespace {

constexpr const char* expected_label = "a label name";
constexpr const char* expected_blank = "a blank and a value";
constexpr const char* expected_end = "the end of the line";
constexpr const char* expected_time_ms = "a timestamp in whole milliseconds";
constexpr const char* expected_time_s = "a timestamp in seconds";

std::string_view view(const char* from, const char* to) { return {from, static_cast<std::size_t>(to - from)}; }

// Returns a label with a repeated name or the name __name__.  Up to 32 labels: a bitmap of hashed names usually shows at once
// that no name repeats.  More labels: sorts the names.
const raw_label* first_refused(const std::vector<raw_label>& labels) {
    constexpr std::size_t few = 32;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::string_view name = labels[i].name.text;
        if (name == "__name__") return &labels[i];
        if (labels.size() > few) continue;
        const auto mixed = name.size() * 37 + static_cast<unsigned char>(name.front()) * std::size_t{11} +
                           static_cast<unsigned char>(name.back());
        const std::uint64_t bit = std::uint64_t{1} << (mixed % 64);
        if ((seen & bit) != 0) {
            for (std::size_t k = 0; k < i; ++k) {
                if (labels[k].name.text == name) return &labels[i];
            }
        }
        seen |= bit;
    }
    if (labels.size() <= few) return nullptr;
    std::vector<std::string_view> names;
    names.reserve(labels.size());
    for (const raw_label& label : labels) names.push_back(label.name.text);
    sort_stably(names);
    return std::adjacent_find(names.begin(), names.end()) == names.end() ? nullptr : &labels.back();
}

}  // namespace

std::string unescaped(const raw_text& raw_text) {
    if (!raw_text.escaped) return std::string(raw_text.text);
    std::string out;
    out.reserve(raw_text.text.size());
    for (std::size_t at = 0; at < raw_text.text.size(); ++at) {
        const char c = raw_text.text[at];
        const char next = at + 1 < raw_text.text.size() ? raw_text.text[at + 1] : '\0';
        const bool known = c == '\\' && (next == '\\' || next == '"' || next == 'n');
        out += !known ? c : next == 'n' ? '\n' : next;
        if (known) ++at;
    }
    return out;
}

bool page::next(line& line) {
    while (expected_ == nullptr && !ended_) {
        if (!strict_) skip_blanks();
        if (at_ == end_) return finish();
        if (*at_ == '#') {
            if (!read_comment()) return false;
        } else if (*at_ == '\n' && !strict_) {
            ++at_;
        } else {
            return read_sample(line);
        }
    }
    return false;
}

bool page::fail(const char* at, const char* expected, error_class kind) {
    failed_at_ = at;
    expected_ = expected;
    kind_ = kind;
    return false;
}

// NVIDIA/dcgm-exporter writes this text if it cannot print a field's value.
bool page::fail_number(const char* at, const char* expected) {
    constexpr std::string_view mark = "ERROR - FAILED TO CONVERT TO STRING";
    const bool unprintable = view(at, end_).substr(0, mark.size()) == mark;
    return fail(at, expected, unprintable ? error_class::unprintable : error_class::bad_value);
}

// Ends the body; returns false, because no sample is left.
bool page::finish() {
    if (strict_ && !ended_) return fail(end_, "\"# EOF\" as the last line (the body was cut)");
    ended_ = true;
    return false;
}

void page::skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
}

bool page::read_sample(line& line) {
    const char* start = at_;
    line.name = {};
    line.labels.clear();
    line.exemplar.reset();
    metric_ = {};
    if (is(*at_, metric_start)) {
        at_ = skip(at_, end_, metric_part);
        line.name.text = view(start, at_);
        metric_ = line.name.text;
        if (!strict_) skip_blanks();
    } else if (*at_ != '{') {
        return fail(at_, "a metric name");
    }
    if (at_ != end_ && *at_ == '{') {
        if (!read_labels(line.labels, &line.name)) return false;
        if (line.name.text.empty()) return fail(start, "a metric name");
    } else if (!strict_ && at_ == start + line.name.text.size()) {
        return fail(at_, expected_blank);
    }
    line.series = view(start, at_);
    return read_value(line);
}

// Parses from '{' to after '}'. `metric`: receives a quoted metric name; null in an exemplar.
bool page::read_labels(std::vector<raw_label>& raw_labels, raw_text* metric) {
    ++at_;
    for (;;) {
        if (!strict_) skip_blanks();
        if (at_ != end_ && *at_ == '}') break;
        if (!read_pair(raw_labels, metric)) return false;
        if (!strict_) skip_blanks();
        if (at_ == end_ || (*at_ != ',' && *at_ != '}')) return fail(at_, "',' or '}' after a label");
        if (*at_ == '}') break;
        ++at_;
    }
    ++at_;
    return check_labels(raw_labels);
}

bool page::check_labels(const std::vector<raw_label>& labels) {
    if (labels.size() > max_labels) {
        return fail(labels.back().name.text.data(), "at most 1000 labels", error_class::limit);
    }
    const raw_label* refused = first_refused(labels);
    return refused == nullptr ||
           fail(refused->name.text.data(), "a label name that is not repeated and is not __name__");
}

bool page::read_pair(std::vector<raw_label>& raw_labels, raw_text* metric) {
    raw_label label;
    const char* start = at_;
    if (at_ != end_ && *at_ == '"') {
        if (!read_quoted(label.name)) return false;
        if (label.name.text.empty()) return fail(start, "a name between the quotes");
        if (!strict_) skip_blanks();
        if (metric != nullptr && at_ != end_ && (*at_ == ',' || *at_ == '}')) {
            if (!metric->text.empty()) return fail(start, "one metric name");
            *metric = label.name;
            return true;
        }
    } else {
        if (at_ == end_ || !is(*at_, label_start)) return fail(at_, expected_label);
        at_ = skip(at_, end_, label_part);
        label.name.text = view(start, at_);
        if (!strict_) skip_blanks();
    }
    if (at_ == end_ || *at_ != '=') return fail(at_, "'=' after the label name");
    ++at_;
    if (!strict_) skip_blanks();
    if (at_ == end_ || *at_ != '"') return fail(at_, "a label value in double quotes");
    if (!read_quoted(label.value)) return false;
    raw_labels.push_back(label);
    return true;
}

// Parses from the opening quote to after the closing quote.
bool page::read_quoted(raw_text& raw_text) {
    const char* start = ++at_;
    bool high_bytes = false;
    for (;;) {
        at_ = find_quote(at_, end_, high_bytes);
        if (at_ == end_ || *at_ == '\n') return fail(start, "a closing quote on the same line");
        if (*at_ == '"') break;
        raw_text.escaped = true;
        ++at_;  // skips the backslash; the next character does not end the text
        if (at_ == end_ || *at_ == '\n') return fail(start, "a closing quote on the same line");
        if (*at_ == '"' || *at_ == '\\') ++at_;
    }
    raw_text.text = view(start, at_);
    ++at_;
    if (raw_text.text.size() > limits::label_value_bytes) {
        return fail(start, "at most 1 MiB between quotes", error_class::limit);
    }
    return !high_bytes || valid_utf8(raw_text.text) || fail(start, "valid UTF-8 between quotes");
}

bool page::read_value(line& line) {
    if (strict_) {
        if (at_ == end_ || *at_ != ' ') return fail(at_, expected_blank);
        ++at_;
    } else {
        skip_blanks();
    }
    const char* stop = scan_value(at_, end_, line.value);
    if (stop == nullptr) return fail_number(at_, "a number as value");
    at_ = stop;
    return strict_ ? read_strict_rest(line) : read_time(line);
}

bool page::read_time(line& line) {
    line.time_ms.reset();
    skip_blanks();
    if (at_ == end_ || *at_ == '\n') return end_line();
    const char* stop = end_of_token(at_, end_);
    line.time_ms = parse_int64(view(at_, stop));
    if (!line.time_ms) return fail(at_, expected_time_ms);
    at_ = stop;
    skip_blanks();
    return end_line();
}

bool page::end_line() {
    if (at_ == end_) return !strict_ || fail(at_, "a line feed");
    if (*at_ != '\n') return fail(at_, expected_end);
    ++at_;
    return true;
}

// Parses [ " " timestamp ] [ " # " exemplar ] LF.
bool page::read_strict_rest(line& line) {
    line.time_ms.reset();
    const auto exemplar_next = [this] { return end_ - at_ >= 2 && at_[0] == ' ' && at_[1] == '#'; };
    if (at_ != end_ && *at_ == ' ' && !exemplar_next() && !read_strict_time(line.time_ms)) return false;
    if (exemplar_next() && !read_exemplar(line)) return false;
    return end_line();
}

// Converts seconds to milliseconds, truncated toward zero: 1395066363.0009 → 1395066363000.
bool page::read_strict_time(std::optional<std::int64_t>& into) {
    const char* start = ++at_;
    double seconds = 0.0;
    const char* stop = scan_value(start, end_, seconds);
    const double ms = seconds * 1000.0;
    if (stop == nullptr || !std::isfinite(seconds) || std::fabs(ms) >= 9.2e18) return fail(start, expected_time_s);
    into = static_cast<std::int64_t>(ms);
    at_ = stop;
    return true;
}

// Parses " # {id=\"x\"} 1 [timestamp]".
bool page::read_exemplar(line& line) {
    exposition::exemplar exemplar;
    if (end_ - at_ < 4 || view(at_, at_ + 4) != " # {") return fail(at_, "an exemplar: \" # {labels} value\"");
    at_ += 3;
    if (!read_labels(exemplar.labels, nullptr)) return false;
    if (at_ == end_ || *at_ != ' ') return fail(at_, "a blank and the exemplar's value");
    ++at_;
    const char* stop = scan_value(at_, end_, exemplar.value);
    if (stop == nullptr) return fail_number(at_, "a number as the exemplar's value");
    at_ = stop;
    if (at_ != end_ && *at_ == ' ' && !read_strict_time(exemplar.time_ms)) return false;
    line.exemplar = std::move(exemplar);
    return true;
}

// Converts sample lines to series.

series series_of(const line& line) {
    series out;
    out.labels.reserve(line.labels.size() + 1);
    out.labels.emplace_back("__name__", unescaped(line.name));
    for (const raw_label& label : line.labels) {
        if (!label.name.escaped && !label.value.escaped) {
            out.labels.emplace_back(label.name.text, label.value.text);
        } else {
            out.labels.emplace_back(unescaped(label.name), unescaped(label.value));
        }
    }
    out.points.push_back({line.time_ms.value_or(0), line.value});
    return out;
}

result<reading> read_all(std::string_view body, format as) {
    reading out;
    out.result_type = "exposition";
    page page(body, as);
    line line;
    while (page.next(line)) {
        if (out.series.size() == limits::series) {
            return fail(error_class::limit, "the page has more than {} samples", limits::series);
        }
        out.series.push_back(series_of(line));
    }
    if (page.failed()) return page.failure();
    return out;
}

}  // namespace gputide::formats::exposition
