// MIG profiles: the size of a slice of a GPU, and the smallest one that a workload fits into.
// Facts: NVIDIA/mig-parted v0.15.0 (profiles by GPU); 4g.47gb of the H100 NVL is inferred by analogy.
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
    std::int32_t per_gpu = 0;  // instances per GPU
};

inline constexpr std::int32_t slices_per_gpu = 7;

// A workload's need of one GPU, margins included.
struct gpu_need {
    amount memory_bytes = 0;
    double util_percent = 0.0;
};

// Returns slices * min(util, 100)/100 / (goal/100): 45 % at a goal of 80 → 3.9 of 7.
double slices_needed(const gpu_need& need, double goal_util_percent, std::int32_t slices = slices_per_gpu);

// Returns the smallest profile by memory, then slices, then name; nullptr: only the whole GPU is large enough.
const mig_profile* smallest_profile(std::span<const mig_profile> profiles, const gpu_need& need,
                                    double goal_util_percent, std::int32_t slices = slices_per_gpu);

// Returns the profiles of a GPU model with that memory; empty: unknown, or no MIG.  Models by their family ("A100",
// "H100", "H100 NVL", "H200"); the memory size distinguishes those of the same name.
std::vector<mig_profile> profiles_of(std::string_view model, amount memory_bytes);

}  // namespace gputide::rightsize
