// Integers that 64 bits do not hold, which simdjson refuses.  Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gputide::formats {

// Returns the text with ".0" behind each of them, so that it is read as the nearest double: the Kubernetes API server keeps such a
// number as a float64 (apimachinery util/json).  Nothing: there is none.
std::optional<std::string> large_integers_as_doubles(std::string_view json);

}  // namespace gputide::formats
