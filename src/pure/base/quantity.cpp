#include "base/quantity.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace gputide {
namespace {

constexpr std::size_t longest = 1'000;  // in bytes
constexpr std::size_t exponent_digits = 5;

// A quantity as written: digits times 10^exponent times 1024^kibi.
struct decimal {
    bool negative = false;
    std::string digits;  // no sign, no point; values 0..9, not characters
    std::int64_t exponent = 0;
    int kibi = 0;
};

// Parses a suffix: "", "m", "Ki", ... → powers; nothing for an unknown suffix.
bool read_suffix(std::string_view word, decimal& out) {
    struct row {
        std::string_view word;
        int exponent;
        int kibi;
    };
    static constexpr std::array rows{row{"", 0, 0},   row{"n", -9, 0}, row{"u", -6, 0}, row{"m", -3, 0},
                                     row{"k", 3, 0},  row{"M", 6, 0},  row{"G", 9, 0},  row{"T", 12, 0},
                                     row{"P", 15, 0}, row{"E", 18, 0}, row{"Ki", 0, 1}, row{"Mi", 0, 2},
                                     row{"Gi", 0, 3}, row{"Ti", 0, 4}, row{"Pi", 0, 5}, row{"Ei", 0, 6}};
    const auto* found = std::ranges::find_if(rows, [&](const row& entry) { return entry.word == word; });
    if (found == rows.end()) return false;
    out.exponent += found->exponent;
    out.kibi = found->kibi;
    return true;
}

// Parses "e3", "E-03". "E" alone is the suffix exa, which read_suffix() parses.
bool read_exponent(std::string_view word, decimal& out) {
    if (word.size() < 2 || (word[0] != 'e' && word[0] != 'E')) return false;
    word.remove_prefix(1);
    const bool minus = word[0] == '-';
    if (minus || word[0] == '+') word.remove_prefix(1);
    if (word.empty() || !std::ranges::all_of(word, is_digit)) return false;
    word.remove_prefix(std::min(word.find_first_not_of('0'), word.size()));
    if (word.size() > exponent_digits) return false;
    const std::int64_t exponent = word.empty() ? 0 : *parse_int64(word);
    out.exponent += minus ? -exponent : exponent;
    return true;
}

std::optional<decimal> read(std::string_view text) {
    decimal out;
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
        out.negative = text[0] == '-';
        text.remove_prefix(1);
    }
    bool point = false;
    std::size_t at = 0;
    for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
        if (text[at] == '.') {
            point = true;
            continue;
        }
        out.digits += static_cast<char>(text[at] - '0');
        if (point) --out.exponent;
    }
    if (out.digits.empty()) return std::nullopt;
    const std::string_view word = text.substr(at);
    if (!read_suffix(word, out) && !read_exponent(word, out)) return std::nullopt;
    return out;
}

// Multiplies decimal digits by long multiplication: exact for any length.
void multiply_by_1024(std::string& digits) {
    unsigned carry = 0;
    for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
        carry += static_cast<unsigned>(*at) * 1024U;
        *at = static_cast<char>(carry % 10);
        carry /= 10;
    }
    for (; carry > 0; carry /= 10) digits.insert(digits.begin(), static_cast<char>(carry % 10));
}

struct saturating {
    std::int64_t value = 0;
    bool overflow = false;
};

// Returns digits times 10^exponent as an integer, rounded away from zero, saturated at int64.
saturating round_away(const std::string& digits, std::int64_t exponent, bool negative) {
    constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t min = std::numeric_limits<std::int64_t>::min();
    const std::uint64_t limit = static_cast<std::uint64_t>(max) + (negative ? 1 : 0);
    const saturating bound{negative ? min : max, true};

    const auto size = static_cast<std::int64_t>(digits.size());
    const std::int64_t kept = size + exponent;  // digits of the integer part; those beyond `size` are zeros
    std::uint64_t whole = 0;
    for (std::int64_t at = 0; at < kept && (at < size || whole != 0); ++at) {
        const auto digit = at < size ? static_cast<std::uint64_t>(digits[static_cast<std::size_t>(at)]) : 0;
        if (whole > (limit - digit) / 10) return bound;
        whole = whole * 10 + digit;
    }
    const std::size_t rest = kept > 0 ? static_cast<std::size_t>(std::min(kept, size)) : 0;
    if (digits.find_first_not_of('\0', rest) != std::string::npos) {
        if (whole == limit) return bound;
        ++whole;
    }
    // Uses unsigned arithmetic, since the lowest int64 has no positive counterpart.
    return {static_cast<std::int64_t>(negative ? 0 - whole : whole), false};
}

// Returns the largest multiple of 3 that is at most `exponent`.
constexpr std::int64_t floor_to_thousands(std::int64_t exponent) {
    const std::int64_t rest = exponent % 3;
    return exponent - (rest < 0 ? rest + 3 : rest);
}

double approximate(const decimal& number) {
    constexpr std::int64_t nano = -9;
    std::int64_t exponent = number.exponent;
    std::string digits = number.digits;
    if (exponent < nano) {
        const saturating nanos = round_away(digits, exponent - nano, false);
        digits = std::to_string(nanos.value);
        for (char& digit : digits) digit = static_cast<char>(digit - '0');
        exponent = nano;
    }
    while (digits.size() > 1 && digits.back() == 0) {
        digits.pop_back();
        ++exponent;
    }
    const std::int64_t stored = number.kibi > 0 ? std::min<std::int64_t>(exponent, 0) : floor_to_thousands(exponent);
    const saturating mantissa = round_away(digits, exponent - stored, number.negative);
    if (mantissa.value == 0) return 0.0;
    const auto base = static_cast<double>(mantissa.value);
    return stored == 0 ? base : base * parse_go_float("1e" + std::to_string(stored)).value_or(HUGE_VAL);
}

error_ptr refused(std::string_view text) {
    return fail(status::invalid,
                text.size() > longest
                    ? format_text("expected a quantity of at most 1000 characters, got {}", text.size())
                    : "expected a quantity such as 100m, 5, 1.5Gi or 1e3, got " + in_quotes(text));
}

}  // namespace

// Quantity.MilliValue() and Value() round away from zero a value that parsing has already rounded to nano away from zero.
// Both steps together equal one rounding of the exact value: 1.0000000001 → 1.000000001 → 1001 milli; directly: 1000.0000001
// → 1001.
result<quantity> parse_quantity(std::string_view text) {
    if (text.size() > longest) return refused(text);
    std::optional<decimal> number = read(text);
    if (!number) return refused(text);
    for (int i = 0; i < number->kibi; ++i) multiply_by_1024(number->digits);
    const saturating milli = round_away(number->digits, number->exponent + 3, number->negative);
    const saturating value = round_away(number->digits, number->exponent, number->negative);
    return quantity{milli.value, value.value, milli.overflow};
}

result<double> approximate_quantity(std::string_view text) {
    if (text.size() > longest) return refused(text);
    std::optional<decimal> number = read(text);
    if (!number) return refused(text);
    for (int i = 0; i < number->kibi; ++i) multiply_by_1024(number->digits);
    return approximate(*number);
}

namespace {

// Converts a value of 2^52 / 1000 or more through its text.
[[gnu::cold]] std::int64_t large_milli(double value) {
    return parse_int64(keda_milli_text(value)).value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

// Example: 2.0005 is 2.000500000000000078 in binary; times 1000 the nearest double is 2000.5, the rest 7.8e-14 more → 2001.
std::int64_t keda_milli(double value) {
    if (!(value > 0.0) || std::isinf(value)) return 0;
    const double product = value * 1000.0;
    if (product < 0x1p52) {
        const auto milli = static_cast<std::int64_t>(product);
        const double part = product - static_cast<double>(milli);
        if (part != 0.5) return milli + (part > 0.5 ? 1 : 0);
        const double rest = std::fma(value, 1000.0, -product);  // product + rest equals value * 1000 exactly
        const bool up = rest > 0.0 || (rest == 0.0 && milli % 2 != 0);
        return milli + (up ? 1 : 0);
    }
    return large_milli(value);
}

std::string keda_milli_text(double value) {
    if (!(value > 0.0) || std::isinf(value)) return "0";
    std::array<char, 320> buffer;  // the largest double has 309 digits before the point
    const char* end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 3).ptr;
    std::string digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    digits.erase(digits.size() - 4, 1);  // removes the point: "1234.568" → "1234568"
    const std::size_t first = digits.find_first_not_of('0');
    return first == std::string::npos ? "0" : digits.substr(first);
}

bool is_known_gpu(std::string_view resource_name) {
    static constexpr std::array<std::string_view, 5> names{"nvidia.com/gpu", "habana.ai/gaudi", "gpu.intel.com/xe",
                                                           "amd.com/gpu", "microsoft.com/directx"};
    return std::ranges::find(names, resource_name) != names.end();
}

std::string bytes_text(std::int64_t bytes) {
    const auto amount = static_cast<double>(bytes);
    for (const auto& [unit, size] : {std::pair(" GiB", 1073741824.0), std::pair(" MiB", 1048576.0)}) {
        if (std::fabs(amount) >= size) return shortest(std::round(amount / size * 10.0) / 10.0) + unit;
    }
    return std::to_string(bytes) + " bytes";
}

}  // namespace gputide
