// Text functions that several modules share: trimming, splitting, numbers as Go reads and prints them, UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide {

// Removes ASCII blank, tab, CR, LF at both ends.
std::string_view trim(std::string_view text);

// Splits "a, b" → {"a"," b"}; an empty text gives one empty piece, as Go's strings.Split.
std::vector<std::string_view> split(std::string_view text, char separator);

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// Appends to a list: ("a", "b") → "a, b".
void append_item(std::string& list, std::string_view item, std::string_view separator = ", ");

std::string lower(std::string_view text);  // ASCII only
bool equal_ignoring_case(std::string_view a, std::string_view b);
bool starts_with_ignoring_case(std::string_view text, std::string_view start);

// Quotes input for a message: "x" → "\"x\"" with escapes, cut after max_bytes bytes with "…".
std::string in_quotes(std::string_view text, std::size_t max_bytes = 120);

// Returns at most max_bytes bytes, cut on a UTF-8 boundary.
std::string_view cut_utf8(std::string_view text, std::size_t max_bytes);

// Returns the size of the UTF-8 sequence at the start of the text; 0: invalid UTF-8.
std::size_t utf8_sequence_size(std::string_view text);
bool valid_utf8(std::string_view text);

// Parses like Go's strconv.ParseBool: 1 t T TRUE true True 0 f F FALSE false False.
std::optional<bool> parse_go_bool(std::string_view text);

// Parses like Go's strconv.ParseFloat(text, 64): decimal, exponent, 0x1p-2, inf/infinity with sign, nan without; any letter
// case.  Returns nothing for blanks, "", "+nan" and an overflow ("1e400"), and 0 for an underflow.  ParseFloat also accepts
// Go's digit separators ("1_000"); metric sources do not write them, so the caller must enable them.
std::optional<double> parse_go_float(std::string_view text, bool digit_separators = false);

// Parses a JSON number and nothing else: "5", "-1.5", "1e3"; not ".5", "5.", "+5", "05".  Overflow gives nothing.
std::optional<double> parse_json_number(std::string_view text);

// Parses the whole text, base 10, optional '-' (and '+', as Go's ParseInt); nothing on overflow.
std::optional<std::int64_t> parse_int64(std::string_view text);

// Formats the shortest decimal that reads back to the same double, as Go's %v: 42.5, 100000, 1e+21, NaN, +Inf.
std::string shortest(double value);
void append_shortest(std::string& out, double value);

// Returns the candidate nearest to `word` by edit distance (swapping adjacent characters counts 1), for "did you mean";
// empty if none is near (distance > 1/3 of the word).
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// Makes input from servers, manifests and files safe for a terminal, a log or a page: such text must not move the cursor,
// change colors, start a line that looks like ours, or reverse the order of letters.

// Returns the text on one line.  Control characters (C0, DEL, C1), U+2028 and U+2029 become blanks.  Marks that change
// the direction of letters or are invisible (U+061C, U+200B to U+200F, U+202A to U+202E, U+2060 to U+2069, U+FEFF) are
// removed.  An invalid UTF-8 byte becomes "?".
std::string plain_line(std::string text);

}  // namespace gputide
