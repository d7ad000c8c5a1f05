// A change of one AKS node pool, as text and as a value, and the pool in Azure Resource Manager.  Pure.
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
    std::string base;  // "https://management.azure.com", no slash at its end
    auth::audience audience;
    std::optional<std::int64_t> count;  // of a pool without an autoscaler
    std::optional<std::int64_t> min;    // of a pool that AKS' autoscaler scales
    std::optional<std::int64_t> max;
    bool dry = true;  // read and compare, write nothing
};

// {"cluster":"/subscriptions/…","pool":"gpunp","count":4,"dry":false}; `cloud` by its name, or `endpoint` for a
// private cloud.  status::invalid names the member.
result<change> read_change(std::string_view text);

// A node pool of AKS as Azure Resource Manager tells it, and the text that changes its size and nothing else.  Pure.
// Facts: Azure/azure-rest-api-specs Microsoft.ContainerService/aks (AgentPools_Get, AgentPools_CreateOrUpdate).

struct pool_size {
    bool autoscaling = false;  // min and max mean something then, and count is the autoscaler's
    std::int64_t count = 0;
    std::int64_t min = 0;
    std::int64_t max = 0;

    friend bool operator==(const pool_size&, const pool_size&) = default;
};

struct agent_pool {
    pool_size size;
    std::string etag;                // "" where the service gave none: then it cannot be written
    std::string provisioning_state;  // Succeeded, Updating, Scaling, Failed, ...
    text::node properties;           // as they came
};

// Returns a member's text; "" if it is not a text.
std::string text_of(const text::node& from, std::string_view name);

// Returns class protocol if the body is not an agent pool.
result<agent_pool> read_pool(std::string_view body);

// Returns the size that the change makes of it; status::invalid if it does not fit: a count for a pool with an autoscaler, min or
// max for one without, min above max.
result<pool_size> changed(const pool_size& now, const change& wanted);

// {"properties":{…}}: what the pool has, without what only the service writes, and with that size.
std::string body_with(const agent_pool& agent_pool, const pool_size& size);

}  // namespace gputide::aks
