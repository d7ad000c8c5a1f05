// Texts for users: lists, names, numbers, curves and times.  The clocks: Unix time for decisions and files, steady time for
// durations.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

inline std::string joined(const std::vector<std::string>& parts, const char* separator) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : separator) + part;
    return out;
}

// Splits "a,,b" into "a", "", "b", and "" into "".
std::vector<std::string> split(const std::string& text, char separator);

// Returns the content of a CSV cell: without blanks, tabs, carriage returns and quotation marks at both ends.
std::string cell_text(const std::string& text);

// Calls take(cells, line number) for each row of a CSV text, with the content of its cells.  Skips blank lines, and lines that begin
// with #.  A usage_error of `take` gets the place before its text: `place` and the line number.
void each_row(const std::string& text, char separator, const std::string& place, const std::string& path,
              const std::function<void(const std::vector<std::string>& cells, std::int64_t line)>& take);

// Returns the number if the whole text is a number.
std::optional<double> number_in(const std::string& text);

// Returns "1 error", "2 errors".
template <class Number>
std::string counted(Number number, const char* noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

inline std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.resize(width, ' ');
    return text;
}

// Returns one line that cannot move the cursor or change the direction of text, as the library does for its messages.  Control
// characters (C0, DEL, C1) and line separators become blanks; marks for direction and marks without width are removed.
std::string one_line(const std::string& text);

// Quotes a text for the shell.  A single quotation mark is written as '\''.
std::string shell_quoted(const std::string& text);

// Replaces each character that is not printable ASCII with "?".
std::string printable(std::string text);

bool is_utf8(const std::string& text);

// The parts of "namespace/name", the name of a scaler in the library and the state file.
struct scaler_name {
    std::string space;
    std::string name;
};
scaler_name split_name(const std::string& full_name);

// Rounds 2.25 to "2.3": rounds half up, also if the value is below the half by a division's rounding error. printf alone would
// print 2.2. report.html rounds in the same way, so that sentences, tables and tiles show the same number.
std::string decimal(double value, int digits);

// Returns "12,345" or "1,234.5": with thousands separators and at most `digits` decimals.
std::string figure(double value, int digits = 1);

struct value_range {
    double low = 0;
    double high = 0;
};

// Draws a curve, `columns` wide, in eighths of a line's height; NaN leaves a blank.  scale: range of the height; default: range
// of the values.
std::string sparkline(const std::vector<double>& values, std::size_t columns, std::optional<value_range> scale = {});

// ---- clocks and times

template <class Clock>
std::int64_t clock_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

inline std::int64_t unix_now_ms() { return clock_ms<std::chrono::system_clock>(); }
inline std::int64_t steady_now_ms() { return clock_ms<std::chrono::steady_clock>(); }

// Parses Unix milliseconds, or RFC 3339 in UTC or with an offset ("2026-11-21T10:00:00Z").  Throws usage_error with the flag's
// name.
std::int64_t parse_time_ms(const std::string& text, const char* flag = "--at");

// Parses the time in a CSV line: as above, or Unix seconds.  Throws usage_error.
std::int64_t parse_cell_time_ms(const std::string& cell);

// Returns the time of --at, or now without the flag.
std::int64_t time_or_now_ms(const std::string& at);

// Returns "2026-11-21T10:00:00.250Z".
std::string time_text(std::int64_t time_ms);

// Parses "15s", "1m30s", "500ms" or "7d"; minimum 1 ms.  Throws usage_error.
std::int64_t parse_duration_ms(const std::string& text, const char* flag);

// Parses a time, "now", or a duration before now such as "-7d".
std::int64_t parse_moment_ms(const std::string& text, std::int64_t now_ms, const char* flag);

// A range of times on whole steps.
struct time_span {
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;  // inclusive
};

// Parses --from and --to ("": now), and rounds them down to whole steps.  Throws usage_error.
time_span parse_span_ms(const std::string& from, const std::string& to, std::int64_t step_ms);

}  // namespace gputided
