#include "config/unsupported_value.hpp"

#include "base/text.hpp"

namespace gputide::config {

std::string unsupported_value(std::string_view value, std::span<const std::string_view> supported) {
    std::string out = "Unsupported value: " + in_quotes(value);
    const char* separator = ": supported values: ";
    for (const std::string_view one : supported) {
        out += separator + in_quotes(one);
        separator = ", ";
    }
    return out;
}

}  // namespace gputide::config
