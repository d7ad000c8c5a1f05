#include "base/text.hpp"

#include "base/encode.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string_view>

namespace gputide {

namespace {

constexpr std::string_view blanks = " \t\r\n";

constexpr char lower_char(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Appends a UTF-8 sequence, or one invalid byte (size 0), in a printable form for a message.
void append_visible(std::string& out, std::string_view sequence, bool valid) {
    const char first = sequence.front();
    if (first == '"' || first == '\\') {
        out += '\\';
        out += first;
    } else if (first == '\n') {
        out += "\\n";
    } else if (first == '\r') {
        out += "\\r";
    } else if (first == '\t') {
        out += "\\t";
    } else if (!valid || static_cast<unsigned char>(first) < 0x20U || first == '\x7F') {
        append_hex(out += "\\x", static_cast<unsigned char>(first));
    } else if (first == '\xC2' && static_cast<unsigned char>(sequence[1]) < 0xA0U) {
        append_hex(out += "\\u00", static_cast<unsigned char>(sequence[1]));  // C1: can move the cursor
    } else {
        out += sequence;
    }
}

// Computes the optimal string alignment distance: insert, delete, replace, or swap two adjacent characters, each 1.
// "ture" → "true" is 1.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::string_view trim(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(separator, begin);
        if (end == std::string_view::npos) {
            pieces.push_back(text.substr(begin));
            return pieces;
        }
        pieces.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

void append_item(std::string& list, std::string_view item, std::string_view separator) {
    if (!list.empty()) list += separator;
    list += item;
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lower_char);
    return out;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower_char(x) == lower_char(y); });
}

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
    return equal_ignoring_case(text.substr(0, start.size()), start);
}

std::string in_quotes(std::string_view text, std::size_t max_bytes) {
    std::string out = "\"";
    std::string_view rest = cut_utf8(text, max_bytes);
    const bool whole = rest.size() == text.size();
    while (!rest.empty()) {
        const std::size_t size = utf8_sequence_size(rest);
        const std::size_t taken = std::max<std::size_t>(size, 1);
        append_visible(out, rest.substr(0, taken), size != 0);
        rest.remove_prefix(taken);
    }
    return out += whole ? "\"" : "…\"";
}

std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) return text;
    // A sequence has at max_bytes three bytes after its first; a longer sequence is not UTF-8 and may be cut anywhere.
    std::size_t end = max_bytes;
    while (end > 0 && max_bytes - end < 3 && continues(text[end])) --end;
    return text.substr(0, continues(text[end]) ? max_bytes : end);
}

std::size_t utf8_sequence_size(std::string_view text) {
    if (text.empty()) return 0;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
    if (size == 0 || text.size() < size) return 0;
    for (std::size_t at = 1; at < size; ++at) {
        if (!continues(text[at])) return 0;
    }
    // RFC 3629 §4: no overlong forms, no surrogates, nothing above U+10FFFF.
    const unsigned second = byte(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || outside ? 0 : size;
}

bool valid_utf8(std::string_view text) {
    constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080U;
    for (std::size_t at = 0; at < text.size();) {
        std::uint64_t eight = high_bits;
        if (text.size() - at >= sizeof eight) std::memcpy(&eight, text.data() + at, sizeof eight);
        if ((eight & high_bits) == 0) {  // ASCII
            at += sizeof eight;
            continue;
        }
        const std::size_t size = utf8_sequence_size(text.substr(at));
        if (size == 0) return false;
        at += size;
    }
    return true;
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
    constexpr std::size_t longest = 128;  // longer than any typing mistake; limits the work on hostile input
    if (word.size() > longest) return {};
    std::string_view best;
    std::size_t best_distance = word.size() / 3;
    bool found = false;
    for (const std::string_view candidate : candidates) {
        if (candidate.size() > longest) continue;
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance || (distance == best_distance && !found)) {
            best = candidate;
            best_distance = distance;
            found = true;
        }
    }
    return best;
}

namespace {

bool is_control(unsigned char byte) { return byte < 0x20U || byte == 0x7FU; }

// Most texts are ASCII without control characters and are returned unchanged.
bool is_plain(std::string_view text) {
    return std::ranges::none_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return is_control(byte) || byte >= 0x80U;
    });
}

enum class look { letter, blank, nothing };

look look_of(std::string_view sequence) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(sequence[at]); };
    if (sequence.size() == 1) return is_control(byte(0)) ? look::blank : look::letter;
    if (sequence.size() == 2) {
        const unsigned point = (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
        if (point < 0xA0U) return look::blank;
        return point == 0x61CU ? look::nothing : look::letter;
    }
    if (sequence.size() != 3) return look::letter;
    const unsigned point = (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    if (point == 0x2028U || point == 0x2029U) return look::blank;
    const bool unseen = (point >= 0x200BU && point <= 0x200FU) || (point >= 0x202AU && point <= 0x202EU) ||
                        (point >= 0x2060U && point <= 0x2069U) || point == 0xFEFFU;
    return unseen ? look::nothing : look::letter;
}

std::string plain(std::string_view rest) {
    std::string out;
    out.reserve(rest.size());
    while (!rest.empty()) {
        const std::size_t size = utf8_sequence_size(rest);
        const std::string_view sequence = rest.substr(0, std::max<std::size_t>(size, 1));
        rest.remove_prefix(sequence.size());
        const look seen = look_of(sequence);
        if (size == 0) {
            out += '?';
        } else if (seen == look::letter) {
            out += sequence;
        } else if (seen == look::blank) {
            out += ' ';
        }
    }
    return out;
}

}  // namespace

std::string plain_line(std::string text) {
    if (!is_plain(text)) text = plain(text);
    return text;
}

}  // namespace gputide
