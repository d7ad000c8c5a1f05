// Similar pools, and how a scale-up is distributed over them.
// kubernetes/autoscaler processors/nodegroupset/ (compare_nodegroups.go, balancing_processor.go, azure_nodegroups.go).
#pragma once

#include "nodes/node.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gputide::nodes {

struct similarity {
    double memory_difference_ratio = 0.015;
    double allocatable_difference_ratio = 0.05;
    double free_difference_ratio = 0.05;
    bool azure = true;                        // with AKS' labels; pools of one agent pool are always similar
    std::vector<std::string> ignored_labels;  // beyond the known ones
};

// Tells whether two pools are similar: same capacity names; memory within its ratio of the larger, every other capacity
// equal; allocatable, and the rest after daemons, within their ratios; labels equal except hostname, zone, region and
// those that providers write.
bool are_similar(const node_shape& a, const node_shape& b, const similarity& how);

struct balanced_pool {
    std::string id;
    std::int64_t size = 0;
    std::int64_t max = 0;
};

// Returns the pools' new sizes: pools at their maximum stay, the total is limited to the remaining capacity, and each
// node goes to the smallest pool at that time (the earlier one of equal ones).
// Worked: sizes 1, 3, 5, 5 and 4 more → 4, 4, 5, 5.
std::vector<std::int64_t> balanced_sizes(std::span<const balanced_pool> pools, std::int64_t more);

}  // namespace gputide::nodes
