#include "base/pattern/code_points.hpp"

#include "base/stable_order.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace gputide {
namespace {

using range = std::pair<std::uint32_t, std::uint32_t>;

struct ascii_class {
    std::string_view name;
    std::string_view bounds;  // first and last character of each range
};
// golang/go src/regexp/syntax: "Named ASCII classes"
constexpr std::array<ascii_class, 14> ascii_classes{{
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"ascii", {"\0\x7f", 2}},
    {"blank", "\t\t  "},
    {"cntrl", {"\0\x1f\x7f\x7f", 4}},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"word", "09AZ__az"},
    {"xdigit", "09AFaf"},
}};

code_point_set ranges_of(std::string_view bounds) {
    code_point_set out;
    for (std::size_t i = 0; i + 1 < bounds.size(); i += 2) {
        out.emplace_back(static_cast<unsigned char>(bounds[i]), static_cast<unsigned char>(bounds[i + 1]));
    }
    return out;
}

// Adds the intersection of `source` and `letters`, shifted by `distance`.
void add_other_case(code_point_set& to, const range& source, const range& letters, std::uint32_t distance) {
    const std::uint32_t low = std::max(source.first, letters.first);
    const std::uint32_t high = std::min(source.second, letters.second);
    if (low <= high) to.emplace_back(low + distance, high + distance);  // modulo 2^32: a distance may be negative
}

}  // namespace

bool holds(const code_point_set& set, std::uint32_t c) {
    return std::ranges::any_of(set, [c](const range& range) { return range.first <= c && c <= range.second; });
}

code_point_set complement(code_point_set set) {
    sort_stably(set);
    code_point_set out;
    std::uint32_t from = 0;
    for (const auto& [low, high] : set) {
        if (low > from) out.emplace_back(from, low - 1);
        from = std::max(from, high + 1);
    }
    if (from <= last_code_point) out.emplace_back(from, last_code_point);
    return out;
}

code_point_set without_case(code_point_set set) {
    constexpr std::uint32_t to_lower = 'a' - 'A';
    constexpr range long_s{0x17f, 0x17f};
    constexpr range kelvin{0x212a, 0x212a};
    code_point_set others;
    for (const range& range : set) {
        add_other_case(others, range, long_s, 's' - long_s.first);
        add_other_case(others, range, kelvin, 'k' - kelvin.first);
    }
    set.insert(set.end(), others.begin(), others.end());
    others.clear();
    for (const range& range : set) {
        add_other_case(others, range, {'A', 'Z'}, to_lower);
        add_other_case(others, range, {'a', 'z'}, 0 - to_lower);
    }
    set.insert(set.end(), others.begin(), others.end());
    if (holds(set, 's')) set.push_back(long_s);
    if (holds(set, 'k')) set.push_back(kelvin);
    return set;
}

std::optional<code_point_set> class_of(char letter) {
    if (letter == 'd') return class_of("digit");
    if (letter == 'w') return class_of("word");
    if (letter == 's') return ranges_of("\t\n\f\r  ");  // [:space:] has \v, too
    return std::nullopt;
}

std::optional<code_point_set> class_of(std::string_view name) {
    for (const ascii_class& ascii_class : ascii_classes) {
        if (ascii_class.name == name) return ranges_of(ascii_class.bounds);
    }
    return std::nullopt;
}

std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&text](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    const std::size_t size = std::max<std::size_t>(utf8_sequence_size(text.substr(at)), 1);
    std::uint32_t out = byte(at);
    if (size == 2) out &= 0x1f;
    if (size == 3) out &= 0x0f;
    if (size == 4) out &= 0x07;
    for (std::size_t i = 1; i < size; ++i) out = out << 6 | (byte(at + i) & 0x3f);
    at += size;
    return out;
}

}  // namespace gputide
