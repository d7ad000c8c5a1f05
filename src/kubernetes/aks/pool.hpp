// A change of an AKS node pool, parsed from text, and the pool in Azure Resource Manager.  Pure.
#pragma once

#include "auth/authenticator.hpp"
#include "base/callback.hpp"
#include "base/result.hpp"
#include "http/exchange.hpp"
#include "text/document.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::aks {

struct change {
    std::string cluster;  // "/subscriptions/…/resourceGroups/…/providers/Microsoft.ContainerService/managedClusters/…"
    std::string pool;
    std::string base;  // "https://management.azure.com", without trailing slash
    auth::audience audience;
    std::optional<std::int64_t> count;  // for a pool without autoscaler
    std::optional<std::int64_t> min;    // for a pool with AKS' autoscaler
    std::optional<std::int64_t> max;
    bool dry = true;  // only read and compare
};

// Parses {"cluster":"/subscriptions/…","pool":"gpunp","count":4,"dry":false}, with `cloud` as a cloud's name or `endpoint` for a
// private cloud.  Returns status::invalid with the member's name on error.
result<change> read_change(std::string_view text);

// A node pool of AKS as Azure Resource Manager returns it, and a request body that changes only the size.  Pure.
// Format: Azure/azure-rest-api-specs Microsoft.ContainerService/aks (AgentPools_Get, AgentPools_CreateOrUpdate).

struct pool_size {
    bool autoscaling = false;  // true: min and max apply, and the autoscaler sets count
    std::int64_t count = 0;
    std::int64_t min = 0;
    std::int64_t max = 0;

    friend bool operator==(const pool_size&, const pool_size&) = default;
};

struct agent_pool {
    pool_size size;
    std::string etag;                // "": not returned by the service; the pool cannot be written then
    std::string provisioning_state;  // Succeeded, Updating, Scaling, Failed, ...
    text::node properties;           // unchanged, as received
};

// Returns a member's text, or "" if the member is not a text.
std::string text_of(const text::node& from, std::string_view name);

// Reads an agent pool; error class protocol if the body is something else.
result<agent_pool> read_pool(std::string_view body);

// Returns the size after the change.  Returns status::invalid for a count with an autoscaler, for min or max without an
// autoscaler, and for min above max.
result<pool_size> changed(const pool_size& now, const change& wanted);

// Returns {"properties":{…}}: the pool's properties without the members that only the service sets, and with the new size.
std::string body_with(const agent_pool& agent_pool, const pool_size& size);

// Writes a change of a node pool: reads the pool, compares, writes with If-Match: ETag, and follows the operation to its end.  No
// other code of this library writes to Azure.

enum class write_state : std::int32_t {
    dry = 0,        // the change would be written
    unchanged = 1,  // the pool already has this size
    succeeded = 2,
    running = 3,  // accepted, but not finished before the deadline
};

struct write_outcome {
    write_state state = write_state::dry;
    pool_size before;
    pool_size after;
};

// Starts a change.  Reads the pool again if another client changed it meanwhile (412), at most three times.  Ends with
// status::unavailable and a retry delay if another operation is in progress on the cluster (409; nothing was written), and with
// status::rejected and the service's message if the operation failed or was canceled.  Runs on the loop's thread; `done` never
// runs inside this call.
std::shared_ptr<http::exchange> write_pool(const std::shared_ptr<http::loop>& loop,
                                           const auth::authenticator& authenticator, change wanted,
                                           std::int64_t deadline_ms, callback<void(result<write_outcome>)> done);

// Returns {"pool":…,"state":…,"autoscaling":…,"before":{…},"after":{…}}.
std::string outcome_json(const change& wanted, const write_outcome& outcome);

}  // namespace gputide::aks
