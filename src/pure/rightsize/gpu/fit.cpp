#include "rightsize/gpu/fit.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace gputide::rightsize {
namespace {

constexpr double rounding = 1e-9;  // tolerance for an integer after a division
constexpr double most_gpus = 1e6;

std::int32_t whole(double gpus) { return static_cast<std::int32_t>(std::clamp(std::ceil(gpus), 1.0, most_gpus)); }

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
    // A node with a fraction of a GPU holds one client, whatever the fraction.
    out.nodes = static_cast<std::int32_t>(std::ceil(out.gpus / std::max(machine.gpus, 1.0)));
    if (machine.price_per_hour) out.price_per_hour = out.nodes * *machine.price_per_hour;
    out.bound = memory > compute ? bound_by::memory : bound_by::compute;
    return out;
}

std::vector<sku_fit> fitting(std::span<const sku> machines, const workload& load) {
    std::vector<sku_fit> out;
    for (const sku& machine : machines)
        if (const std::optional<sku_fit> made = fit(machine, load)) out.push_back(*made);
    std::stable_sort(out.begin(), out.end(), [](const sku_fit& a, const sku_fit& b) { return order(a) < order(b); });
    return out;
}

std::int32_t replicas_per_gpu(amount gpu_memory_bytes, const gpu_need& need, double goal_util_percent) {
    const auto by_memory = need.memory_bytes > 0 ? usable_bytes(gpu_memory_bytes) / need.memory_bytes : most;
    const double by_compute =
        need.util_percent > 0.0 ? goal_util_percent / need.util_percent + rounding : most_mps_clients;
    const double replicas = std::min({static_cast<double>(by_memory), by_compute, double{most_mps_clients}});
    return static_cast<std::int32_t>(std::max(replicas, 1.0));
}

}  // namespace gputide::rightsize
