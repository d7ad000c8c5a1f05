// Reads members of Kubernetes objects; errors name their place.
#pragma once

#include "base/result.hpp"

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::kube {

// Reads a quantity as thousandths: "49500m", or a bare number.  Class shape for an invalid one, range beyond int64.
result<std::int64_t> quantity_field(simdjson::dom::object object, std::string_view name, const std::string& place);

// Reads RFC 3339 as Unix milliseconds; nothing if absent, null or "".
result<std::optional<std::int64_t>> time_field(simdjson::dom::object object, std::string_view name,
                                               const std::string& place);

// Calls `each` for the elements of an array of objects with their place, "items[3]".  Absent and null count as empty.
// Class limit beyond limits::series elements.
result<void> each_object(simdjson::dom::object object, std::string_view name, const std::string& place,
                         const std::function<result<void>(simdjson::dom::object, const std::string& place)>& how);

}  // namespace gputide::kube
