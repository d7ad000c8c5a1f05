// Pods that are alike for the purpose of finding nodes.  kubernetes/autoscaler core/scaleup/equivalence/groups.go.
#pragma once

#include "nodes/pod.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gputide::nodes {

// Equal pods; the first stands for all.
struct pod_group {
    std::string name;  // as given, or the first pod's
    nodes::pod pod;
    std::int64_t count = 0;
    std::vector<std::string> members;  // names of the pods, where they were given one by one
};

// Of one controller so many different kinds are remembered; further pods of other kinds stand alone.
inline constexpr std::size_t most_groups_per_controller = 10;

// Pods of one controller (by UID) with equal labels and equal placement form a group; one without a controller, or of a
// DaemonSet, is a group of its own.  In the order of each group's first pod.
std::vector<pod_group> group_pods(std::vector<pod> pods);

}  // namespace gputide::nodes
