// Groups of equal pods, and the number of nodes of one template that they need.
#pragma once

#include "nodes/node.hpp"
#include "nodes/options.hpp"
#include "nodes/packing.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gputide::nodes {

// Equal pods, represented by the first.
struct pod_group {
    std::string name;  // as given, or the name of the first pod
    nodes::pod pod;
    std::int64_t count = 0;
    std::vector<std::uint32_t> positions;  // in the list of pods, if they were listed individually
};

// Groups pods of one controller (by UID) with equal labels and equal placement.  A pod without a controller, or of a
// DaemonSet, is a group of its own; so is every further pod of a controller with ten groups.  The order is that of the first
// pods.
std::vector<pod_group> group_pods(std::vector<pod> pods);

// First fit decreasing: the number of nodes of one template that a list of pod groups needs.
// kubernetes/autoscaler estimator/binpacking_estimator.go, decreasing_pod_orderer.go.

// Equal pods.
struct pod_count {
    const placement* asks = nullptr;
    std::int64_t count = 0;
    std::uint32_t kind = 0;  // index in the rules about pods
};

// Sorts pods for packing.
//   score = cpu_request / cpu_allocatable + memory_request / memory_allocatable, highest first; a zero or missing
//   allocatable adds 0.  Order gpu first sorts by the largest requested fraction of any GPU resource.  Equal scores
//   keep the order of the input.
// Example with 8 GPUs and 96 cores: in order gpu, 6 GPUs with 8 cores (0.75) precede 1 GPU with 14 cores (0.125); in order
// ca, they follow.
std::vector<std::uint32_t> packing_sequence(std::span<const pod_count> groups, const node_shape& shape,
                                            packing_order order);

struct placed_group {
    std::uint32_t group = 0;
    std::int64_t count = 0;
};

struct estimate {
    std::vector<std::vector<placed_group>> nodes;  // nodes with at least one pod, in the order in which they were added
    std::vector<std::int64_t> by_group;            // pods placed
    std::vector<bool> undecided;                   // by group: whether the devices of a node suffice
    std::int64_t pods = 0;
};

// Packs the groups in order.  Pods of a group go onto nodes added before, in the order of creation, until a pod fits none of
// them; then, as long as adding is allowed, onto the newest node, or onto a new node if the newest holds a pod.  If a pod
// does not fit an empty node, its group ends and the empty node stays.  If the limit prevents a node, no later group may add
// one. max_nodes: 0: no limit; negative: no node may be added. rules: the existing nodes, if pods have rules about other
// pods; the estimate's nodes are added to it.
estimate estimate_nodes(std::span<const pod_count> groups, const node_shape& shape, packing_order order,
                        std::int64_t max_nodes, pod_topology* rules = nullptr);

}  // namespace gputide::nodes
