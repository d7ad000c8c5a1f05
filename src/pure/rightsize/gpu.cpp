// Selects GPUs for a workload; gpu.hpp has the formulas.
#include "rightsize/gpu.hpp"

#include "base/format_text.hpp"
#include "base/stable_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace gputide::rightsize {

namespace {

constexpr amount gb = 1'000'000'000;

// The slices of a MIG model; all models have the same six kinds.  Memory in GB.
struct sliced_model {
    std::string_view family;  // substring of the model's name
    amount memory_gb;
    amount small_gb;   // of 1g
    amount double_gb;  // of 1g with double memory, and of 2g
    amount half_gb;    // of 3g and 4g
};
constexpr std::array<sliced_model, 5> models{{{"A100", 40, 5, 10, 20},
                                              {"A100", 80, 10, 20, 40},
                                              {"H100", 80, 10, 20, 40},
                                              {"H100", 94, 12, 24, 47},
                                              {"H200", 141, 18, 35, 71}}};

mig_profile slice(std::int32_t slices, amount memory_gb, std::int32_t per_gpu) {
    return {format_text("{}g.{}gb", slices, memory_gb), memory_gb * gb, slices, per_gpu};
}

// Compares with tolerance: sizes are given in decimal or binary units and rounded; 85899345920 bytes are also the A100's 80
// GB.
bool same_size(amount bytes, amount gigabytes) {
    const double ratio = static_cast<double>(bytes) / static_cast<double>(gigabytes * gb);
    return ratio > 0.94 && ratio < 1.08;
}

}  // namespace

double slices_needed(const gpu_need& need, double goal_util_percent, std::int32_t slices) {
    return slices * std::min(need.util_percent, 100.0) / 100.0 / (goal_util_percent / 100.0);
}

const mig_profile* smallest_profile(std::span<const mig_profile> profiles, const gpu_need& need,
                                    double goal_util_percent, std::int32_t slices) {
    const double min_slices = slices_needed(need, goal_util_percent, slices);
    const mig_profile* best = nullptr;
    for (const mig_profile& profile : profiles) {
        if (profile.memory_bytes < need.memory_bytes || profile.slices < min_slices) continue;
        const auto key = [](const mig_profile& mig_profile) {
            return std::tie(mig_profile.memory_bytes, mig_profile.slices, mig_profile.name);
        };
        if (best == nullptr || key(profile) < key(*best)) best = &profile;
    }
    return best;
}

std::vector<mig_profile> profiles_of(std::string_view model, amount memory_bytes) {
    for (const sliced_model& entry : models) {
        if (model.find(entry.family) == std::string_view::npos || !same_size(memory_bytes, entry.memory_gb)) continue;
        return {slice(1, entry.small_gb, 7), slice(1, entry.double_gb, 4), slice(2, entry.double_gb, 3),
                slice(3, entry.half_gb, 2),  slice(4, entry.half_gb, 1),   slice(7, entry.memory_gb, 1)};
    }
    return {};
}

namespace {

constexpr double rounding = 1e-9;  // tolerance for an integer after a division
constexpr double max_machine_gpus = 1e6;

std::int32_t whole(double gpus) {
    return static_cast<std::int32_t>(std::clamp(std::ceil(gpus), 1.0, max_machine_gpus));
}

std::int32_t for_compute(const sku& machine, const workload& load) {
    const double busy = load.gpus * std::min(load.need.util_percent, 100.0) / 100.0;
    return whole(busy / machine.speed.value_or(1.0) / (load.goal_util_percent / 100.0) - rounding);
}

std::int32_t for_memory(amount usable, const workload& load) {
    if (load.splittable)
        return whole(static_cast<double>(load.need.memory_bytes) * load.gpus / static_cast<double>(usable));
    return load.replicated ? 1 : load.gpus;
}

auto order(const sku_fit& sku_fit) {
    const double price = sku_fit.price_per_hour.value_or(std::numeric_limits<double>::infinity());
    return std::tuple(price, sku_fit.nodes, std::string_view(sku_fit.machine->name));
}

}  // namespace

amount usable_bytes(amount gpu_memory_bytes) { return scaled(gpu_memory_bytes, usable_fraction); }

const char* bound_by_name(bound_by side) noexcept { return side == bound_by::memory ? "memory" : "compute"; }

std::optional<sku_fit> fit(const sku& machine, const workload& load) {
    const amount usable = usable_bytes(machine.gpu_memory_bytes);
    if (usable <= 0 || (load.need.memory_bytes > usable && !load.splittable)) return std::nullopt;
    const std::int32_t compute = for_compute(machine, load);
    const std::int32_t memory = for_memory(usable, load);
    sku_fit out;
    out.machine = &machine;
    out.uncapped_gpus = std::max({compute, memory, load.min_gpus});
    out.gpus = load.max_gpus > 0 ? std::min(out.uncapped_gpus, load.max_gpus) : out.uncapped_gpus;
    if (out.gpus < memory) return std::nullopt;
    // A node with a fraction of a GPU holds one client, independent of the fraction.
    out.nodes = static_cast<std::int32_t>(std::ceil(out.gpus / std::max(machine.gpus, 1.0)));
    if (machine.price_per_hour) out.price_per_hour = out.nodes * *machine.price_per_hour;
    out.bound = memory > compute ? bound_by::memory : bound_by::compute;
    return out;
}

std::vector<sku_fit> fitting(std::span<const sku> machines, const workload& load) {
    std::vector<sku_fit> out;
    for (const sku& machine : machines)
        if (const std::optional<sku_fit> made = fit(machine, load)) out.push_back(*made);
    sort_stably(out, [](const sku_fit& a, const sku_fit& b) { return order(a) < order(b); });
    return out;
}

std::int32_t replicas_per_gpu(amount gpu_memory_bytes, const gpu_need& need, double goal_util_percent) {
    const auto by_memory = need.memory_bytes > 0 ? usable_bytes(gpu_memory_bytes) / need.memory_bytes : most;
    const double by_compute =
        need.util_percent > 0.0 ? goal_util_percent / need.util_percent + rounding : max_mps_clients;
    const double replicas = std::min({static_cast<double>(by_memory), by_compute, double{max_mps_clients}});
    return static_cast<std::int32_t>(std::max(replicas, 1.0));
}

}  // namespace gputide::rightsize
