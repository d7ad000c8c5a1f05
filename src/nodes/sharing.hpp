// GPU sharing: what a node's configuration offers, and how much memory one unit of it has.
#pragma once

#include "nodes/node.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace gputide::nodes {

// "1g.10gb": so many of the 7 compute slices, so many gigabytes (10^9 bytes).
struct mig_profile {
    std::int64_t slices = 0;
    std::int64_t memory_bytes = 0;
};

// "1g.10gb", "1g.10gb+me", "1g.10gb.me"; nothing for anything else.
std::optional<mig_profile> parse_mig_profile(std::string_view text);

inline constexpr std::string_view mig_prefix = "nvidia.com/mig-";

// The profile that a resource stands for: "nvidia.com/mig-1g.10gb" → 1g.10gb.
std::optional<mig_profile> profile_of_resource(std::string_view resource_name);

// The most instances of one profile on one GPU: 7 for 1g, 4 for the double-memory 1g, 3 for 2g, 2 for 3g, 1 for 4g and 7g.
std::int64_t most_instances(const mig_profile& profile, std::int64_t gpu_memory_bytes);

// Whether one GPU can be cut so: at most 7 compute slices and 8 memory slices in all.
bool can_be_cut(std::span<const mig_count> profiles, std::int64_t gpu_memory_bytes);

// The extended resources of a node with these GPUs.
//   none            GPUs                                time slicing, MPS   GPUs × replicas (perhaps as nvidia.com/gpu.shared)
//   MIG single      GPUs × instances                    MIG mixed           per profile; the GPUs that are not cut stay whole
// Worked: 8 GPUs, 4 of them cut into 2 × 3g.40gb → nvidia.com/mig-3g.40gb 8, nvidia.com/gpu 4.
resource_list advertised(const gpu_info& gpu);

// Memory of one unit of that resource: the whole GPU's without sharing and with time slicing, where any client can take all
// of it; a replica's share with MPS; the profile's with MIG.
std::int64_t unit_memory_bytes(const gpu_info& gpu, std::string_view resource_name);

}  // namespace gputide::nodes
