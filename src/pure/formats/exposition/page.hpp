// Parses a /metrics body line by line.  Each sample is a view into the body; only the current line is kept, and nothing is
// copied.
// Returns the samples in order, or the first invalid line, which makes the whole body invalid.  Pure.  Does not interpret
// names.
#pragma once

#include "base/error.hpp"
#include "base/result.hpp"
#include "formats/reduce.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::formats::exposition {

// Selects the grammar of a /metrics response.  Pure.
enum class format : std::int32_t {
    text = 0,         // text/plain 0.0.4 and 1.0.0 (quoted names)
    openmetrics = 1,  // application/openmetrics-text 1.0.0
};

// Selects the grammar by the media type of a Content-Type.  A missing or unknown type counts as text, as in Prometheus 2
// (exporters without a type are common).  The protobuf format is rejected.
result<format> format_of(std::string_view content_type);

// The Accept header: the older grammar is simpler, and every exporter supports it.
inline constexpr std::string_view accept = "text/plain;version=0.0.4;q=0.9,*/*;q=0.1";

// As written: if `escaped`, "\\", "\"" and "\n" stand for one byte each (see unescaped).
struct raw_text {
    std::string_view text;
    bool escaped = false;
};

struct raw_label {
    raw_text name;
    raw_text value;
};

// Replaces escapes: "a\\nb" → "a", LF, "b".  Any other escape keeps its backslash.
std::string unescaped(const raw_text& text);

struct exemplar {
    std::vector<raw_label> labels;
    double value = 0.0;
    std::optional<std::int64_t> time_ms;
};

struct line {
    raw_text name;
    std::vector<raw_label> labels;  // in the order written
    std::string_view series;        // name and labels as written: the identity of a series in a body
    double value = 0.0;             // may be NaN or infinite
    std::optional<std::int64_t> time_ms;
    std::optional<exposition::exemplar> exemplar;  // OpenMetrics
};

class page {
  public:
    static constexpr std::size_t max_labels = 1'000;  // of one sample

    // `body` must outlive the page and its lines.
    page(std::string_view body, format as)
        : begin_(body.data()), at_(begin_), end_(begin_ + body.size()), strict_(as == format::openmetrics) {}

    // Returns the next sample; false at the end or after an error.
    bool next(line& line);

    bool failed() const { return expected_ != nullptr; }

    // Must be called only if failed().  Returns "line 3, DCGM_FI_DEV_SM_CLOCK: expected a number as value, got \"ERROR -
    // …\"", class bad_value or shape, with the line also as field "line".
    error failure() const;

  private:
    bool fail(const char* at, const char* expected, error_class kind = error_class::shape);
    bool fail_number(const char* at, const char* expected);
    bool finish();

    bool read_comment();
    bool read_text_comment(std::string_view text);
    bool read_strict_comment(std::string_view text, const char* line_end);
    bool read_eof(const char* line_end);
    const char* read_described_name(std::string_view text, std::string_view& name);

    bool read_sample(line& line);
    bool read_labels(std::vector<raw_label>& raw_labels, raw_text* metric);
    bool read_pair(std::vector<raw_label>& raw_labels, raw_text* metric);
    bool check_labels(const std::vector<raw_label>& labels);
    bool read_quoted(raw_text& raw_text);
    bool read_value(line& line);
    bool read_time(line& line);
    bool read_strict_rest(line& line);
    bool read_strict_time(std::optional<std::int64_t>& into);
    bool read_exemplar(line& line);
    bool end_line();
    void skip_blanks();

    const char* begin_;
    const char* at_;
    const char* end_;
    bool strict_;
    bool ended_ = false;              // "# EOF" was read
    const char* expected_ = nullptr;  // not null: failed
    const char* failed_at_ = nullptr;
    error_class kind_ = error_class::shape;
    std::string_view metric_;  // of the current sample
};

// Reads a whole body into series with labels, for callers that need all samples.  Pure.

// Returns one line as a series with one point; the name is its first label, __name__. The time is 0 if the line has none.
series series_of(const line& line);

// Returns all samples in the body's order, repeated series included, with result_type "exposition".  Fails with status::limit
// for more than limits::series.
result<reading> read_all(std::string_view body, format as);

}  // namespace gputide::formats::exposition
