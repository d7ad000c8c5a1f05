// Selects GPUs for a workload: the smallest sufficient MIG profile, and the number of GPUs of each machine type.
// MIG facts: NVIDIA/mig-parted v0.15.0 (profiles by GPU); 4g.47gb of the H100 NVL is inferred by analogy.
#pragma once

#include "rightsize/estimate.hpp"

#include <cstdint>
#include <optional>
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

// A workload's need per GPU, margins included.
struct gpu_need {
    amount memory_bytes = 0;
    double util_percent = 0.0;
};

// Returns slices * min(util, 100)/100 / (goal/100): 45 % at a goal of 80 → 3.9 of 7.
double slices_needed(const gpu_need& need, double goal_util_percent, std::int32_t slices = slices_per_gpu);

// Returns the smallest profile by memory, then slices, then name; nullptr: only the whole GPU is sufficient.
const mig_profile* smallest_profile(std::span<const mig_profile> profiles, const gpu_need& need,
                                    double goal_util_percent, std::int32_t slices = slices_per_gpu);

// Returns the profiles of a GPU model with that memory; empty: unknown model, or no MIG. Models are given by family ("A100",
// "H100", "H100 NVL", "H200"); the memory size distinguishes models of the same family.
std::vector<mig_profile> profiles_of(std::string_view model, amount memory_bytes);

// Computes the number of GPUs of each machine type for a workload, and their price.
//   compute  n_c = max(1, ceil(gpus * min(util, 100)/100 / speed / (goal/100) - 1e-9))
//   memory   n_m = max(1, ceil(memory * gpus / usable)) if the model may be split over GPUs, else 1 if each GPU is a
//            separate replica, else the present number; usable = trunc(0.95 * the GPU's memory)
// Example: 4 GPUs at 90 % with a goal of 80: 4.5 → 5 of the same speed, 3 of twice the speed.

// A machine type with GPUs.
struct sku {
    std::string name;             // "Standard_NC24ads_A100_v4"
    std::string gpu_model;        // "A100"; may be empty
    amount gpu_memory_bytes = 0;  // of one GPU
    double gpus = 1.0;  // of one node; below 1: a fraction of a GPU, which cannot be combined with other fractions
    std::optional<double> price_per_hour;  // of one node
    std::optional<double> speed;           // of one GPU relative to the present GPU; nothing: equal
};

struct workload {
    std::int32_t gpus = 1;  // present number
    gpu_need need;          // of each GPU
    double goal_util_percent = 80.0;
    bool replicated = true;   // each GPU serves independently
    bool splittable = false;  // the model may be spread over more GPUs
    std::int32_t min_gpus = 0;
    std::int32_t max_gpus = 0;  // 0: no limit
};

inline constexpr double usable_fraction = 0.95;  // of a GPU's memory: driver and context use the rest
amount usable_bytes(amount gpu_memory_bytes);

enum class bound_by : std::uint8_t { compute, memory };
const char* bound_by_name(bound_by side) noexcept;

struct sku_fit {
    const sku* machine = nullptr;
    std::int32_t gpus = 0;           // after min_gpus and max_gpus
    std::int32_t uncapped_gpus = 0;  // before max_gpus
    std::int32_t nodes = 0;
    std::optional<double> price_per_hour;  // of all nodes
    rightsize::bound_by bound = bound_by::compute;
};

// Returns nothing if memory or max_gpus are not sufficient.
std::optional<sku_fit> fit(const sku& machine, const workload& load);

// Returns all sufficient machines, the best first: lowest price, then fewer nodes, then name; machines without a price are
// last.
std::vector<sku_fit> fitting(std::span<const sku> machines, const workload& load);

// Returns the number of replicas that can share one GPU: limited by memory, by utilization, and by the number of MPS clients.
// 1: sharing has no benefit.
inline constexpr std::int32_t max_mps_clients = 48;  // docs.nvidia.com/deploy/mps, per GPU since Volta
std::int32_t replicas_per_gpu(amount gpu_memory_bytes, const gpu_need& need, double goal_util_percent);

}  // namespace gputide::rightsize
