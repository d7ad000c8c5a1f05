#include "nodes/dra/allocation.hpp"

#include <algorithm>
#include <vector>

namespace gputide::nodes {
namespace {

// Counts of one pool.
struct pool_share {
    double whole = 0.0;  // devices without counters
    double whole_held = 0.0;
    double partitions_held = 0.0;
    std::vector<std::uint32_t> sets;  // counter sets of its devices
};

double part(double held, double total) { return total > 0.0 ? held / total : 0.0; }

pool_share share_of(const node_shape& shape, std::uint32_t pool) {
    const device_set& all = *shape.devices;
    pool_share out;
    for (std::size_t i = 0; i < all.devices.size(); ++i) {
        const device& device = all.devices[i];
        if (device.pool != pool) continue;
        const bool is_held = i < shape.devices_held.size() && shape.devices_held[i];
        (device.counters.empty() ? out.whole_held : out.partitions_held) += is_held ? 1.0 : 0.0;
        if (device.counters.empty()) out.whole += 1.0;
        for (const counter_use& counter : device.counters) {
            const std::uint32_t set = all.counters[counter.counter].set;
            if (std::ranges::find(out.sets, set) == out.sets.end()) out.sets.push_back(set);
        }
    }
    return out;
}

// Returns the highest use of a counter of that set.
double use_of_set(const device_set& all, const std::vector<std::int64_t>& left, std::uint32_t set) {
    double highest = 0.0;
    for (std::size_t i = 0; i < all.counters.size(); ++i) {
        if (all.counters[i].set != set) continue;
        const auto total = static_cast<double>(all.counters[i].total);
        highest = std::max(highest, part(total - static_cast<double>(left[i]), total));
    }
    return highest;
}

double use_of_pool(const node_shape& shape, const std::vector<std::int64_t>& left, std::uint32_t pool) {
    const pool_share share = share_of(shape, pool);
    const double whole = part(share.whole_held, share.whole);
    if (share.partitions_held == 0.0) return whole;
    double partitions = 0.0;
    for (const std::uint32_t set : share.sets) partitions += use_of_set(*shape.devices, left, set);
    const auto sets = static_cast<double>(share.sets.size());
    partitions = part(partitions, sets);
    if (share.whole_held == 0.0) return partitions;
    return (partitions * sets + whole * share.whole) / (sets + share.whole);
}

}  // namespace

utilization utilization_of_devices(const node_shape& shape) {
    const std::vector<std::int64_t> left = use_of_devices(shape).counters_left;
    utilization out;
    for (std::uint32_t i = 0; i < shape.devices->pools.size(); ++i) {
        const double value = use_of_pool(shape, left, i);
        if (!out.resource.empty() && value <= out.value) continue;
        out = {value, shape.devices->pools[i].driver + "/" + shape.devices->pools[i].name};
    }
    return out;
}

gpu_count_of_devices gpus_among_devices(const node_shape& shape) {
    gpu_count_of_devices out;
    if (shape.devices == nullptr) return out;
    const std::vector<std::int64_t> left = use_of_devices(shape).counters_left;
    for (std::uint32_t i = 0; i < shape.devices->pools.size(); ++i) {
        if (shape.devices->pools[i].driver.find("gpu") == std::string::npos) continue;
        const pool_share share = share_of(shape, i);
        out.gpus += static_cast<std::int64_t>(share.whole) + static_cast<std::int64_t>(share.sets.size());
        out.held += static_cast<std::int64_t>(share.whole_held);
        for (const std::uint32_t set : share.sets) out.held += use_of_set(*shape.devices, left, set) > 0.0 ? 1 : 0;
    }
    return out;
}

}  // namespace gputide::nodes
