// Kubernetes objects other than metrics: a workload's scale, a Lease.  Pure parsers of complete responses.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "kube/endpoint.hpp"

#include <cstdint>
#include <string>

namespace gputide::kube {

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
