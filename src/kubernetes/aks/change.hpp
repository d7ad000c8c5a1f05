// What somebody wants one node pool of AKS to be, as text and as a value, and where the pool lives.  Pure.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"

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
    std::optional<std::int64_t> count;  // of a pool that nobody scales
    std::optional<std::int64_t> min;    // of one that AKS' autoscaler scales
    std::optional<std::int64_t> max;
    bool dry = true;  // read and compare, write nothing
};

// {"cluster":"/subscriptions/…","pool":"gpunp","count":4,"dry":false}; `cloud` by its name, or `endpoint` for a cloud of
// somebody's own.  status::invalid names the member.
result<change> read_change(std::string_view text);

}  // namespace gputide::aks
