// States of nodes and pools: ready with their GPUs or not, upcoming, unhealthy.
// kubernetes/autoscaler clusterstate/clusterstate.go, processors/customresources/gpu_processor.go.
#pragma once

#include "nodes/node.hpp"
#include "nodes/options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gputide::nodes {

// Tells whether a node has a provider's label of GPU nodes: of AKS (also the older one), GKE or EKS.
bool has_gpu_label(const node_shape& shape);

// Tells whether a node has such a label, or a GPU for pods.
bool has_gpu(const node_shape& shape);

// Tells whether a node has a GPU for pods.  strict: as in cluster-autoscaler, a node in MIG mixed mode that offers only slices
// has no known GPU.
bool offers_gpu(const resource_list& allocatable, bool strict = false);

// Tells whether a node is ready.  A labeled node is ready only after its device plugin has registered the resources, or its
// DRA driver the devices.
bool is_ready(const node& node, bool labelled, bool strict);

enum class node_class : std::int32_t { ready = 0, deleted = 1, suspended = 2, not_started = 3, unready = 4 };

// Returns the class of a node. not_started: not ready, and younger than the startup time.
node_class class_of(const node& node, std::int64_t now_ms, const options& how);

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

// Tells whether a pool is healthy.  Example: 9 of 20 unready is 45 %, which is not above the limit: healthy.
bool is_healthy(std::int64_t unready, std::int64_t total, const options& how);

}  // namespace gputide::nodes
