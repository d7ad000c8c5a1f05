// Parses numbers.  Most values are short decimals, computed from two exact doubles; the correctly rounding parser of base/
// parses the rest.
#include "formats/exposition/number.hpp"

#include "base/text.hpp"

#include <array>
#include <cstdint>

namespace gputide::formats::exposition {
namespace {

// Powers of ten that a double represents exactly.  A quotient of two exact doubles is rounded once, so it is the nearest
// double (W. D. Clinger, "How to read floating point numbers accurately", 1990): 0.812 = 812 / 10^3.
constexpr std::array powers = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr std::int64_t max_digits = 15;  // 10^15 < 2^53

const char* scan_slowly(const char* at, const char* end, double& value) {
    const char* stop = end_of_token(at, end);
    const auto got = parse_value({at, static_cast<std::size_t>(stop - at)});
    if (!got) return nullptr;
    value = *got;
    return stop;
}

}  // namespace

std::optional<double> parse_value(std::string_view text) {
    if (text.find_first_of("xXpP_") != std::string_view::npos) return std::nullopt;
    return parse_go_float(text);
}

const char* scan_value(const char* at, const char* end, double& value) {
    const char* p = at;
    const bool negative = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) ++p;
    std::int64_t mantissa = 0;
    std::int64_t digits = 0;
    std::size_t fraction = 0;
    const auto read_digits = [&] {
        for (; p != end && *p >= '0' && *p <= '9' && digits <= max_digits; ++p, ++digits) {
            mantissa = mantissa * 10 + (*p - '0');
        }
    };
    read_digits();
    if (p != end && *p == '.') {
        ++p;
        const std::int64_t before = digits;
        read_digits();
        fraction = static_cast<std::size_t>(digits - before);
    }
    if (digits == 0 || digits > max_digits || (p != end && !ends_token(*p))) return scan_slowly(at, end, value);
    const double exact = static_cast<double>(mantissa) / powers[fraction];
    value = negative ? -exact : exact;
    return p;
}

}  // namespace gputide::formats::exposition
