// The hardware of a pool's nodes: GPU sharing, templates, Azure's sizes.
#pragma once

#include "nodes/node.hpp"
#include "nodes/options.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gputide::nodes {

// A MIG profile such as "1g.10gb": number of the 7 compute slices, and gigabytes (10^9 bytes).
struct mig_profile {
    std::int64_t slices = 0;
    std::int64_t memory_bytes = 0;
};

// Parses "1g.10gb", "1g.10gb+me", "1g.10gb.me"; nothing for any other text.
std::optional<mig_profile> parse_mig_profile(std::string_view text);

// Returns the profile of a resource: "nvidia.com/mig-1g.10gb" → 1g.10gb.
std::optional<mig_profile> profile_of_resource(std::string_view resource_name);

// Returns the maximum of instances of one profile on a GPU: 7 for 1g, 4 for the double-memory 1g, 3 for 2g, 2 for 3g, 1
// for 4g and 7g.
std::int64_t max_instances(const mig_profile& profile, std::int64_t gpu_memory_bytes);

// Tells whether the profiles fit on one GPU: at most 7 compute slices and 8 memory slices in total.
bool can_be_cut(std::span<const mig_count> profiles, std::int64_t gpu_memory_bytes);

// Returns the extended resources of a node with these GPUs:
//   none                GPUs
//   time slicing, MPS   GPUs × replicas (as nvidia.com/gpu.shared with sharing.rename)
//   MIG single          GPUs × instances
//   MIG mixed           one resource per profile; unpartitioned GPUs as nvidia.com/gpu
// Example: 8 GPUs, 4 of them partitioned into 2 × 3g.40gb → nvidia.com/mig-3g.40gb 8, nvidia.com/gpu 4.
resource_list advertised(const gpu_info& gpu);

// Returns the memory of one unit of that resource: that of the whole GPU without sharing and with time slicing, as each
// client can use all of it; that of a replica's share with MPS; that of the profile with MIG.
std::int64_t unit_memory_bytes(const gpu_info& gpu, std::string_view resource_name);

// Node templates for pools without one.

// Tells whether a taint means that its node is not ready yet: by its prefix, or because it is one of the given keys.
bool is_startup_taint(std::string_view key, const std::vector<std::string>& given);

// Sets the missing shape of each pool from its first ready and schedulable node; without such a node, from its first node.
// Ignores nodes that do not offer their GPUs yet, and nodes being deleted.
void complete_templates(std::vector<pool>& pools, std::span<const node> nodes, const options& how);

// GPU sizes of Azure: the hardware of a virtual machine by name.  Facts only; prices come from the user.

struct node_size {
    std::string_view name;  // "Standard_NC40ads_H100_v5"
    std::int32_t gpus = 0;  // physical GPUs; for a fraction of a GPU: 1
    std::string_view model;
    std::int32_t memory_gb = 0;  // of one GPU, or of the machine's fraction
    std::int32_t cpus = 0;
    std::int32_t memory_gib = 0;  // of the machine, including the kubelet's reservation
    std::string_view resource = nvidia_gpu_name;
    bool retired = false;  // no longer offered
};

std::span<const node_size> known_sizes();
const node_size* find_size(std::string_view name);  // case-insensitive; nullptr: unknown

// Fills in missing values of the shape: cpu, memory, 110 pods, GPUs by the shape's sharing strategy, the accelerator's label.
void add_size(const node_size& size, node_shape& shape);

}  // namespace gputide::nodes
