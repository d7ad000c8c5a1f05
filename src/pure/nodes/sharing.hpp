// GPU sharing: the resources of a node's configuration, and the memory of one unit of each.
#pragma once

#include "nodes/node.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace gputide::nodes {

// "1g.10gb": number of the 7 compute slices, and gigabytes (10^9 bytes).
struct mig_profile {
    std::int64_t slices = 0;
    std::int64_t memory_bytes = 0;
};

// Parses "1g.10gb", "1g.10gb+me", "1g.10gb.me"; nothing for any other text.
std::optional<mig_profile> parse_mig_profile(std::string_view text);

inline constexpr std::string_view mig_prefix = "nvidia.com/mig-";

// Returns the profile of a resource: "nvidia.com/mig-1g.10gb" → 1g.10gb.
std::optional<mig_profile> profile_of_resource(std::string_view resource_name);

// Returns the maximum of instances of one profile on a GPU: 7 for 1g, 4 for the double-memory 1g, 3 for 2g, 2 for 3g, 1
// for 4g and 7g.
std::int64_t most_instances(const mig_profile& profile, std::int64_t gpu_memory_bytes);

// Tells whether one GPU can be partitioned so: at most 7 compute slices and 8 memory slices in total.
bool can_be_cut(std::span<const mig_count> profiles, std::int64_t gpu_memory_bytes);

// Returns the extended resources of a node with these GPUs.
//   none            GPUs                                time slicing, MPS   GPUs × replicas (perhaps as
// nvidia.com/gpu.shared)
//   MIG single      GPUs × instances                    MIG mixed           per profile; unpartitioned GPUs stay whole
// Worked: 8 GPUs, 4 of them partitioned into 2 × 3g.40gb → nvidia.com/mig-3g.40gb 8, nvidia.com/gpu 4.
resource_list advertised(const gpu_info& gpu);

// Returns the memory of one unit of that resource: the whole GPU's without sharing and with time slicing, as any client
// can use all of it; a replica's share with MPS; the profile's with MIG.
std::int64_t unit_memory_bytes(const gpu_info& gpu, std::string_view resource_name);

}  // namespace gputide::nodes
