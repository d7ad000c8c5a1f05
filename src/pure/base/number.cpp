// Numbers as text (text.hpp): reads what Go and JSON accept, writes what we print.  Uses std::from_chars and
// std::to_chars, which round correctly and ignore the locale.
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace gputide {
namespace {

constexpr bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// A number with valid syntax: the part for from_chars, and the data that tell an overflow from an underflow.
struct number_shape {
    bool hex = false;
    bool zero = true;            // every digit of the mantissa is 0
    std::int64_t magnitude = 0;  // of the first digit that is not 0: above 0 the value is 1 or more
    std::string_view body;       // without sign and 0x
};

// Parses [digits][.digits][exponent] to the end of `body`; hex digits need the exponent, as in Go's ParseFloat.
std::optional<number_shape> shape_of(std::string_view body, bool hex) {
    number_shape shape{.hex = hex, .body = body};
    std::int64_t before_point = 0;  // digits of the mantissa, counted from the first that is not 0
    std::int64_t zeros_after_point = 0;
    bool any = false;
    bool point = false;
    std::size_t at = 0;
    for (; at < body.size(); ++at) {
        const char c = body[at];
        if (c == '.' && !point) {
            point = true;
        } else if (hex ? is_hex_digit(c) : is_digit(c)) {
            any = true;
            if (c != '0') shape.zero = false;
            if (!point && !shape.zero) ++before_point;
            if (point && shape.zero) ++zeros_after_point;
        } else {
            break;
        }
    }
    if (!any) return std::nullopt;
    shape.magnitude = before_point > 0 ? before_point : -zeros_after_point;
    if (hex) shape.magnitude *= 4;
    if (at == body.size()) return hex ? std::nullopt : std::optional(shape);

    if ((body[at] | 0x20) != (hex ? 'p' : 'e')) return std::nullopt;
    ++at;
    const bool minus = at < body.size() && body[at] == '-';
    if (at < body.size() && (body[at] == '-' || body[at] == '+')) ++at;
    if (at == body.size()) return std::nullopt;
    constexpr std::int64_t enough = 1'000'000'000'000;  // far above the length of any text
    std::int64_t exponent = 0;
    for (; at < body.size(); ++at) {
        if (!is_digit(body[at])) return std::nullopt;
        if (exponent < enough) exponent = exponent * 10 + (body[at] - '0');
    }
    shape.magnitude += minus ? -exponent : exponent;
    return shape;
}

// Returns the nearest double: 0 below the smallest, nothing above the largest.
std::optional<double> value_of(const number_shape& shape) {
    if (shape.zero) return 0.0;
    std::string_view body = shape.body;
    // from_chars rejects an exponent that does not fit an int; beyond `far` only its sign matters.
    constexpr std::int64_t far = 1'000'000;
    if (shape.magnitude > far) return std::nullopt;
    if (shape.magnitude < -far) return 0.0;
    double value = 0.0;
    const auto format = shape.hex ? std::chars_format::hex : std::chars_format::general;
    const auto [end, failure] = std::from_chars(body.data(), body.data() + body.size(), value, format);
    if (failure == std::errc::result_out_of_range) {
        return shape.magnitude > 0 ? std::nullopt : std::optional(0.0);
    }
    if (failure != std::errc{} || end != body.data() + body.size() || std::isinf(value)) return std::nullopt;
    return value;
}

// Removes digit separators of Go's literals: "1_000", "0x_1p4".  Each '_' must be between two digits or after the base
// prefix; otherwise returns nothing.
std::optional<std::string> without_separators(std::string_view text) {
    std::string out;
    const std::size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    const bool hex = text.size() > sign + 1 && text[sign] == '0' && (text[sign + 1] | 0x20) == 'x';
    const auto digit = [&](char c) { return hex ? is_hex_digit(c) : is_digit(c); };
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '_') {
            out += text[at];
            continue;
        }
        const bool after = at > sign && (digit(text[at - 1]) || (hex && at == sign + 2));
        const bool before = at + 1 < text.size() && digit(text[at + 1]);
        if (!after || !before) return std::nullopt;
    }
    return out;
}

std::optional<double> special_value(std::string_view unsigned_text, bool has_sign) {
    if (equal_ignoring_case(unsigned_text, "inf") || equal_ignoring_case(unsigned_text, "infinity")) {
        return std::numeric_limits<double>::infinity();
    }
    if (!has_sign && equal_ignoring_case(unsigned_text, "nan")) return std::numeric_limits<double>::quiet_NaN();
    return std::nullopt;
}

// Matches -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? up to the exponent, which shape_of() checks (RFC 8259 §6).
bool starts_as_json_number(std::string_view body) {
    std::size_t at = 0;
    while (at < body.size() && is_digit(body[at])) ++at;
    if (at == 0 || (at > 1 && body[0] == '0')) return false;
    return at == body.size() || body[at] != '.' || (at + 1 < body.size() && is_digit(body[at + 1]));
}

// Appends "-4.25e+21" unchanged, and "4.25e+20" in fixed notation.
void append_scientific(std::string& out, std::string_view text) {
    const std::size_t mark = text.find('e');
    const std::int64_t exponent = *parse_int64(text.substr(mark + 1));
    if (exponent < -4 || exponent >= 21) {
        out += text;
        return;
    }
    if (text.front() == '-') out += '-';
    std::string digits;
    for (const char c : text.substr(0, mark)) {
        if (is_digit(c)) digits += c;
    }
    const std::size_t whole = static_cast<std::size_t>(exponent) + 1;  // no fraction: beyond 2^53
    out.append(digits).append(whole - std::min(digits.size(), whole), '0');
}

}  // namespace

std::optional<bool> parse_go_bool(std::string_view text) {
    for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
        if (text == yes) return true;
    }
    for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
        if (text == no) return false;
    }
    return std::nullopt;
}

std::optional<double> parse_go_float(std::string_view text, bool digit_separators) {
    std::string joined;
    if (digit_separators && text.find('_') != std::string_view::npos) {
        const std::optional<std::string> without = without_separators(text);
        if (!without) return std::nullopt;
        joined = *without;
        text = joined;
    }
    const bool has_sign = !text.empty() && (text[0] == '+' || text[0] == '-');
    const bool negative = has_sign && text[0] == '-';
    if (has_sign) text.remove_prefix(1);
    std::optional<double> value = special_value(text, has_sign);
    if (!value) {
        const bool hex = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
        const std::optional<number_shape> shape = shape_of(hex ? text.substr(2) : text, hex);
        if (shape) value = value_of(*shape);
    }
    if (value && negative) *value = -*value;
    return value;
}

std::optional<double> parse_json_number(std::string_view text) {
    const bool negative = !text.empty() && text[0] == '-';
    if (negative) text.remove_prefix(1);
    if (!starts_as_json_number(text)) return std::nullopt;
    const std::optional<number_shape> shape = shape_of(text, false);
    if (!shape) return std::nullopt;
    std::optional<double> value = value_of(*shape);
    if (value && negative) *value = -*value;
    return value;
}

std::optional<std::int64_t> parse_int64(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && is_digit(text[1])) text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Formats like Go's %v: fixed notation from 1e-4 to below 1e21, otherwise an exponent of two digits or more.
void append_shortest(std::string& out, double value) {
    if (std::isnan(value)) {
        out += "NaN";
        return;
    }
    if (std::isinf(value)) {
        out += value > 0 ? "+Inf" : "-Inf";
        return;
    }
    std::array<char, 32> buffer;
    // Between these two limits both notations have the same digits; above, fixed notation would write more digits than
    // needed.
    const double size = std::abs(value);
    const bool plain = value == 0.0 || (size >= 1e-4 && size < 0x1p53);
    const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    if (plain) {
        out += text;
    } else {
        append_scientific(out, text);
    }
}

std::string shortest(double value) {
    std::string out;
    append_shortest(out, value);
    return out;
}

}  // namespace gputide
