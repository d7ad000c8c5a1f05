// Values that many objects of the Kubernetes API have, read with the name of their place for the error.
#pragma once

#include "base/result.hpp"

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::kube {

// A quantity as thousandths: "49500m", or a bare number.  Class shape for what is none, range beyond int64.
result<std::int64_t> quantity_field(simdjson::dom::object object, std::string_view name, const std::string& place);

// RFC 3339 as Unix milliseconds; nothing where absent, null or "".
result<std::optional<std::int64_t>> time_field(simdjson::dom::object object, std::string_view name,
                                               const std::string& place);

// Each element of an array of objects with its place, "items[3]".  Absent and null count as empty.  Class limit beyond
// limits::series elements.
result<void> each_object(simdjson::dom::object object, std::string_view name, const std::string& place,
                         const std::function<result<void>(simdjson::dom::object, const std::string& place)>& how);

}  // namespace gputide::kube
