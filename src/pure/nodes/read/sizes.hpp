// GPU sizes of Azure: the hardware of a virtual machine by name.  Facts only; prices come from the user.
#pragma once

#include "nodes/node.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace gputide::nodes {

struct node_size {
    std::string_view name;  // "Standard_NC40ads_H100_v5"
    std::int32_t gpus = 0;  // whole ones, or the one that a fraction is taken from
    std::string_view model;
    std::int32_t memory_gb = 0;  // of one GPU, or of the machine's fraction
    std::int32_t cpus = 0;
    std::int32_t memory_gib = 0;  // of the machine, including the kubelet's reservation
    std::string_view resource = nvidia_gpu_name;
    bool retired = false;  // no longer offered
};

std::span<const node_size> known_sizes();
const node_size* find_size(std::string_view name);  // case-insensitive; nullptr: unknown

// Fills in missing values of the shape: cpu, memory, 110 pods, GPUs under the shape's own sharing, the accelerator's
// label.
void add_size(const node_size& size, node_shape& shape);

}  // namespace gputide::nodes
