#include "formats/json/large_integers.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace gputide::formats {
namespace {

constexpr std::string_view digits = "0123456789";

template <class Integer>
bool is_out_of_range(std::string_view number) {
    Integer value = 0;
    return std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc::result_out_of_range;
}

bool is_large_integer(std::string_view number) {
    const bool is_negative = number.front() == '-';
    if (number.find_first_not_of(digits, is_negative ? 1 : 0) != std::string_view::npos) return false;
    return is_out_of_range<std::int64_t>(number) && (is_negative || is_out_of_range<std::uint64_t>(number));
}

}  // namespace

std::optional<std::string> large_integers_as_doubles(std::string_view json) {
    std::string out;
    std::size_t kept = 0;  // the text up to here is in `out`
    for (std::size_t at = json.find_first_of("\"-0123456789"); at < json.size();
         at = json.find_first_of("\"-0123456789", at)) {
        if (json[at] == '"') {
            std::size_t quote = json.find_first_of("\"\\", at + 1);
            while (quote < json.size() && json[quote] == '\\') quote = json.find_first_of("\"\\", quote + 2);
            at = std::min(quote, json.size() - 1) + 1;
            continue;
        }
        const std::size_t end = std::min(json.find_first_not_of("-+.eE0123456789", at + 1), json.size());
        if (is_large_integer(json.substr(at, end - at))) {
            out.append(json.substr(kept, end - kept)).append(".0");
            kept = end;
        }
        at = end;
    }
    if (kept == 0) return std::nullopt;
    out.append(json.substr(kept));
    return out;
}

}  // namespace gputide::formats
