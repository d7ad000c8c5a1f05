// Responses of a Kubernetes API server: errors (Status objects, plain text of the aggregator, empty responses), and the objects that
// are not metrics.  Parses a complete response: to an error with reason and remedy, or to its JSON.  Pure.
#pragma once

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "kube/endpoint.hpp"

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::kube {

// Returns nullopt for a good response with a body to parse.  Otherwise error_class is one of
//   status    a Status object: service_code is its reason, http_status its code, field "error" its message
//   http      a status other than 2xx without a Status object
// or the transport's fault.  The server's Retry-After is in field retry_after_ms.
std::optional<error> refusal(const http::answer& answer, const endpoint& endpoint);

// Checks for errors, then parses the outermost object, which must have that kind, and calls `how` while it is valid.
//   not_json  invalid JSON; retryable if it was truncated
//   shape     JSON of another structure
result<void> read_object(const http::answer& answer, const endpoint& endpoint, std::string_view kind,
                         function_ref<result<void>(simdjson::dom::object)> how);

error wrong_shape(std::string_view what);  // "items[3].value: expected a quantity"

// Functions to read members of Kubernetes objects; errors name the place of the member.

// Reads a quantity as thousandths: "49500m", or a bare number.  Class shape for an invalid quantity, range beyond int64.
result<std::int64_t> quantity_field(simdjson::dom::object object, std::string_view name, const std::string& place);

// Reads RFC 3339 as Unix milliseconds; nullopt if missing, null or "".
result<std::optional<std::int64_t>> time_field(simdjson::dom::object object, std::string_view name,
                                               const std::string& place);

// Calls `how` for each element of an array of objects with its place, "items[3]".  Missing and null count as empty.  Class limit
// beyond limits::series elements.
result<void> each_object(simdjson::dom::object object, std::string_view name, const std::string& place,
                         function_ref<result<void>(simdjson::dom::object, const std::string& place)> how);

// The subresource scale of a workload, autoscaling/v1.  A missing replica count is 0.
struct scale {
    std::int32_t spec_replicas = 0;
    std::int32_t status_replicas = 0;
    std::string selector;          // selector of its pods, as text: "app=llm,tier in (a,b)"
    std::string resource_version;  // the workload's
    std::string uid;               // the workload's
};
endpoint scale_of(const std::string& name_space, const std::string& api_version, const std::string& kind,
                  const std::string& name);
result<scale> read_scale(const http::answer& answer, const endpoint& endpoint);

inline constexpr const char* shards_annotation = "gputide.io/shards";

// coordination.k8s.io/v1.  Times in Unix microseconds, as in the API; 0: missing.
struct lease {
    std::string holder;  // "": not held
    std::int64_t duration_s = 0;
    std::int64_t acquire_time_us = 0;
    std::int64_t renew_time_us = 0;
    std::int64_t transitions = 0;
    std::string resource_version;
    std::string shards;  // annotation gputide.io/shards: number of Leases that share the work; "": none
};
endpoint lease_of(const std::string& name_space, const std::string& name);
result<lease> read_lease(const http::answer& answer, const endpoint& endpoint);

}  // namespace gputide::kube
