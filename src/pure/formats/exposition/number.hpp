// Parses numbers of the exposition formats.  Pure; no locale, no C library.
//   accepted  decimal with optional sign, fraction, exponent: 1 -2.5e3 .5 5. +7 00012; NaN; [+-]Inf, [+-]Infinity in any
//             letter case; an underflow is 0
//   rejected  hex, digit separators, a signed NaN, and an overflow: 1e400 is an error and not an infinity
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gputide::formats::exposition {

// Character classes and the search for the end of a quoted text: the most expensive parts of the parser.  Pure.

enum byte_class : std::uint8_t {
    metric_start = 1,  // [A-Za-z_:]
    metric_part = 2,   // [A-Za-z0-9_:]
    label_start = 4,   // [A-Za-z_]
    label_part = 8,    // [A-Za-z0-9_]
};

inline constexpr std::array<std::uint8_t, 256> byte_classes = [] {
    std::array<std::uint8_t, 256> out{};
    for (unsigned c = 0; c < 128; ++c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool digit = c >= '0' && c <= '9';
        unsigned classes = 0;
        if (letter) classes |= metric_start | metric_part | label_start | label_part;
        if (c == ':') classes |= metric_start | metric_part;
        if (digit) classes |= metric_part | label_part;
        out[c] = static_cast<std::uint8_t>(classes);
    }
    return out;
}();

inline bool is(char c, std::uint8_t wanted) { return (byte_classes[static_cast<unsigned char>(c)] & wanted) != 0; }

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Tells whether a character ends a number or a timestamp.
inline bool ends_token(char c) { return c == ' ' || c == '\n' || c == '\t'; }

inline const char* end_of_token(const char* at, const char* end) {
    while (at != end && !ends_token(*at)) ++at;
    return at;
}

inline const char* skip(const char* at, const char* end, std::uint8_t wanted) {
    while (at != end && is(*at, wanted)) ++at;
    return at;
}

// Returns the first '"', '\' or LF from `at` on, or `end`; sets high_bytes if a byte of 128 or more precedes it.
inline const char* find_quote(const char* at, const char* end, bool& high_bytes) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i feed = _mm_set1_epi8('\n');
    while (end - at >= 16) {
        const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i stops = _mm_or_si128(_mm_cmpeq_epi8(block, quote),
                                           _mm_or_si128(_mm_cmpeq_epi8(block, backslash), _mm_cmpeq_epi8(block, feed)));
        const auto stop = static_cast<unsigned>(_mm_movemask_epi8(stops));
        const auto high = static_cast<unsigned>(_mm_movemask_epi8(block));
        if (stop != 0) {
            const unsigned before = stop & (0U - stop);
            if ((high & (before - 1U)) != 0) high_bytes = true;
            return at + __builtin_ctz(stop);
        }
        if (high != 0) high_bytes = true;
        at += 16;
    }
#endif
    for (; at != end; ++at) {
        if (*at == '"' || *at == '\\' || *at == '\n') return at;
        if (static_cast<unsigned char>(*at) >= 0x80) high_bytes = true;
    }
    return end;
}

std::optional<double> parse_value(std::string_view text);

// Parses the number that starts at `at` and ends before a blank, a tab, LF or `end`.  Returns its end; null: invalid.
const char* scan_value(const char* at, const char* end, double& value);

}  // namespace gputide::formats::exposition
