// What a Kubernetes API server says instead of data: Status objects, plain text of the aggregator, nothing at all.
// In: a whole answer and what was asked; out: an error that names reason and remedy, or the answer's JSON.  Pure.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "kube/endpoint.hpp"

#include <simdjson.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::kube {

// Nothing: a good answer with a body to read.  Else error_class is one of
//   status    a Status object: service_code is its reason, http_status its code, field "error" its message
//   http      another status than 2xx without one
// or the transport's fault.  A wait that the server asks for is in field retry_after_ms.
std::optional<error> refusal(const http::answer& answer, const endpoint& endpoint);

// Refusals first, then the outermost object, which must be of that kind; `how` reads it while it lives.
//   not_json  no JSON; retryable where it was cut
//   shape     JSON of another structure
result<void> read_object(const http::answer& answer, const endpoint& endpoint, std::string_view kind,
                         const std::function<result<void>(simdjson::dom::object)>& how);

error wrong_shape(std::string_view what);  // "items[3].value: expected a quantity"

}  // namespace gputide::kube
