// Texts for people: lists, names, numbers and curves.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Removes blanks, tabs, carriage returns and quotation marks at both ends: a cell of a CSV file.
std::string cell_text(const std::string& text);

// Returns the number if the whole text is one.
std::optional<double> number_in(const std::string& text);

// Returns "1 error", "2 errors".
inline std::string counted(std::int64_t number, const char* noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

inline std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.resize(width, ' ');
    return text;
}

// Makes one line that moves no cursor and changes no direction, as the library does with its own messages: control characters (C0,
// DEL, C1) and line separators become blanks; marks of direction and of no width are removed.
std::string one_line(const std::string& text);

// Quotes for the shell: a single quotation mark ends the text, stands alone and begins it again.
std::string shell_quoted(const std::string& text);

// Replaces each character that is not printable ASCII by "?".
std::string printable(std::string text);

bool is_utf8(const std::string& text);

// "namespace/name", as the library and the state file name a scaler.
struct scaler_name {
    std::string space;
    std::string name;
};
scaler_name split_name(const std::string& full_name);

// Rounds 2.25 to "2.3": a half goes up, also if a division missed it by one bit.  report.html rounds alike, so that a number is the
// same in a sentence, a table and a tile; printf alone would make 2.2 of it.
std::string decimal(double value, int digits);

// Returns "12,345", "1,234.5": thousands apart, at most `digits` decimals.
std::string figure(double value, int digits = 1);

struct value_range {
    double low = 0;
    double high = 0;
};

// Draws a curve in eighths of a line's height, `columns` wide; NaN leaves a blank.  scale: the range of the height; absent: that of the
// values.
std::string sparkline(const std::vector<double>& values, std::size_t columns, std::optional<value_range> scale = {});

}  // namespace gputided
