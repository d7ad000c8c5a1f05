// Groups of pods that are equal for scheduling.  kubernetes/autoscaler core/scaleup/equivalence/groups.go.
#pragma once

#include "nodes/pod.hpp"

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
    std::vector<std::string> members;  // names of the pods, if they were listed one by one
};

// Limit of different kinds per controller; further pods of other kinds form groups of their own.
inline constexpr std::size_t most_groups_per_controller = 10;

// Groups pods of one controller (by UID) with equal labels and equal placement.  A pod without a controller, or of a
// DaemonSet, is a group of its own.  In the order of each group's first pod.
std::vector<pod_group> group_pods(std::vector<pod> pods);

}  // namespace gputide::nodes
