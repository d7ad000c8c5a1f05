// A change of an AKS node pool, parsed from text, and the pool in Azure Resource Manager.  Pure.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"
#include "text/document.hpp"

#include <cstdint>
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

}  // namespace gputide::aks
