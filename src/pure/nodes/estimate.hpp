// Groups of equal pods, and the number of nodes of one template that they need.
#pragma once

#include "nodes/node.hpp"
#include "nodes/packing.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gputide::nodes {

// Equal pods; the first represents all.
struct pod_group {
    std::string name;  // as given, or the first pod's
    nodes::pod pod;
    std::int64_t count = 0;
    std::vector<std::string> members;      // names of the pods, if they were listed one by one
    std::vector<std::uint32_t> positions;  // of the members in the list of pods
};

// Limit of different kinds per controller; further pods of other kinds form groups of their own.
inline constexpr std::size_t max_groups_per_controller = 10;

// Groups pods of one controller (by UID) with equal labels and equal placement.  A pod without a controller, or of a
// DaemonSet, is a group of its own.  In the order of each group's first pod.
std::vector<pod_group> group_pods(std::vector<pod> pods);

// First fit decreasing: the number of nodes of one template that a list of pod groups needs.
// kubernetes/autoscaler estimator/binpacking_estimator.go, decreasing_pod_orderer.go.

// ca: by cpu and memory, as in cluster-autoscaler; gpu: by the largest fraction of a node's GPUs first; largest: by the largest
// fraction of any resource first.
enum class packing_order : std::int32_t { ca = 0, gpu = 1, largest = 2 };

// Equal pods.
struct pod_count {
    const placement* asks = nullptr;
    std::int64_t count = 0;
    std::uint32_t kind = 0;  // in the rules about pods
};

// Sorts pods for packing.
//   score = cpu_request / cpu_allocatable + memory_request / memory_allocatable, highest first; a zero or missing
//   allocatable adds 0.  Order gpu sorts by the largest requested fraction of any GPU resource before that.  Equal ones
//   keep the order of the input.
// Worked on 8 GPUs and 96 cores: 1 GPU with 14 cores (fraction 0.125) is after 6 GPUs with 8 cores (0.75) in order gpu,
// before it in order ca.
std::vector<std::uint32_t> packing_sequence(std::span<const pod_count> groups, const node_shape& shape,
                                            packing_order order);

struct placed_group {
    std::uint32_t group = 0;
    std::int64_t count = 0;
};

struct estimate {
    std::vector<std::vector<placed_group>> nodes;  // nodes with at least one pod, in the order in which they were added
    std::vector<std::int64_t> by_group;            // pods placed
    std::int64_t pods = 0;
    bool limited = false;  // the limit refused a node
};

// Packs each group in order: its pods go onto nodes added before, in the order of creation, until one fits none; then,
// while adding is allowed, onto the newest node, or onto a new one if that holds a pod.  A pod that does not fit an
// empty node ends its group, and the empty node stays; if the limit refuses a node, no later group may add one.
// max_nodes: 0 none, negative: no node may be added.  rules: the nodes that are there, if pods ask for anything of other
// pods; nodes of the estimate are added to it.
estimate estimate_nodes(std::span<const pod_count> groups, const node_shape& shape, packing_order order,
                        std::int64_t max_nodes, pod_topology* rules = nullptr);

}  // namespace gputide::nodes
