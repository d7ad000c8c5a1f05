// Integers beyond 64 bits, which simdjson rejects.  Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gputide::formats {

// Appends ".0" to each such integer, so that it is parsed as the nearest double: the Kubernetes API server stores it as a
// float64 (apimachinery util/json).  Returns nothing if the text has no such integer.
std::optional<std::string> large_integers_as_doubles(std::string_view json);

}  // namespace gputide::formats
