// States of nodes and pools: ready with their GPUs or not, upcoming, unhealthy.
// kubernetes/autoscaler clusterstate/clusterstate.go, processors/customresources/gpu_processor.go.
#pragma once

#include "nodes/node.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gputide::nodes {

// Tells whether a node has a provider's label of GPU nodes: of AKS (also the older one), GKE or EKS.
bool has_gpu_label(const node_shape& shape);

// Tells whether a node has such a label, or a GPU for pods.
bool has_gpu(const node_shape& shape);

// strict: as in cluster-autoscaler, a node in MIG mixed mode that offers only slices has no known GPU.
enum class gpu_rules : std::int32_t { any_nvidia = 0, strict = 1 };

// Tells whether a resource is a GPU for pods: one of nvidia.com/ or of cluster-autoscaler's known devices; strict: only
// the latter.
bool offers_gpu(const resource_list& allocatable, gpu_rules rules);

// Tells whether a node is ready.  A labeled node is ready only after its device plugin has registered the resources, or its
// DRA driver the devices.
bool is_ready(const node& node, bool labelled, gpu_rules rules);

enum class node_class : std::int32_t { ready = 0, deleted = 1, suspended = 2, not_started = 3, unready = 4 };

inline constexpr std::int64_t default_startup_ms = 15 * 60'000;  // max-node-startup-time

// Returns the class of a node. not_started: not ready, and younger than the startup time.
node_class class_of(const node& node, gpu_rules rules, std::int64_t now_ms, std::int64_t startup_ms);

// The nodes of a pool by class.
class pool_counts {
  public:
    std::int64_t& operator[](node_class kind) { return counts_[static_cast<std::size_t>(kind)]; }
    std::int64_t operator[](node_class kind) const { return counts_[static_cast<std::size_t>(kind)]; }

  private:
    std::array<std::int64_t, 5> counts_{};
};

// Returns target − (ready + unready + suspended), at least 0: the number of nodes that are starting or not registered.
std::int64_t upcoming(std::int64_t target, const pool_counts& counts);

struct health_limits {
    std::int64_t ok_unready = 3;        // ok-total-unready-count
    double max_unready_percent = 45.0;  // max-total-unready-percentage
};

// Tells whether a pool is healthy.  Example: 9 of 20 unready is 45 %, which is not above the limit: healthy.
bool is_healthy(std::int64_t unready, std::int64_t total, const health_limits& limits);

}  // namespace gputide::nodes
