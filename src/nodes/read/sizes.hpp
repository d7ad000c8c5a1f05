// GPU sizes of Azure: what a virtual machine of a name has.  Facts alone; prices are the user's.
#pragma once

#include "nodes/node.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace gputide::nodes {

struct node_size {
    std::string_view name;  // "Standard_NC40ads_H100_v5"
    std::int32_t gpus = 0;  // whole ones, or the one that a part is of
    std::string_view model;
    std::int32_t memory_gb = 0;  // of one GPU, or of the part that the machine has
    std::int32_t cpus = 0;
    std::int32_t memory_gib = 0;  // of the machine, kubelet's reservation not taken off
    std::string_view resource = nvidia_gpu_name;
    bool retired = false;  // no new ones are made
};

std::span<const node_size> known_sizes();
const node_size* find_size(std::string_view name);  // letter case does not count; nullptr: unknown

// Fills in what the shape does not say itself: cpu, memory, 110 pods, GPUs under the shape's own sharing, the accelerator's label.
void add_size(const node_size& one, node_shape& shape);

}  // namespace gputide::nodes
