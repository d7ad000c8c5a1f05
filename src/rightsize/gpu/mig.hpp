// MIG profiles: what a slice of a GPU holds, and the smallest one that a workload fits into.
// Facts: NVIDIA/mig-parted v0.15.0 (profiles by GPU); 4g.47gb of the H100 NVL is given by analogy.
#pragma once

#include "rightsize/estimate/amount.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::rightsize {

struct mig_profile {
    std::string name;          // "1g.10gb"
    amount memory_bytes = 0;   // of one instance
    std::int32_t slices = 0;   // the g of its name: sevenths of the GPU's compute
    std::int32_t per_gpu = 0;  // how many one GPU offers
};

inline constexpr std::int32_t slices_per_gpu = 7;

// What a workload needs of one GPU, margins included.
struct gpu_need {
    amount memory_bytes = 0;
    double util_percent = 0.0;
};

// slices * min(util, 100)/100 / (goal/100): 45 % at a goal of 80 → 3.9 of 7.
double slices_needed(const gpu_need& need, double goal_util_percent, std::int32_t slices = slices_per_gpu);

// The smallest by memory, then slices, then name; nullptr: only the whole GPU will do.
const mig_profile* smallest_profile(std::span<const mig_profile> profiles, const gpu_need& need,
                                    double goal_util_percent, std::int32_t slices = slices_per_gpu);

// Of a GPU model with that memory; empty: none known, or it has no MIG.  Models by their family ("A100", "H100", "H100 NVL",
// "H200"); one memory size tells those of the same name apart.
std::vector<mig_profile> profiles_of(std::string_view model, amount memory_bytes);

}  // namespace gputide::rightsize
