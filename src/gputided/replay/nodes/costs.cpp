// Sums of node-hours.
#include "replay/nodes/costs.hpp"

#include <algorithm>

namespace gputided {
namespace {

using nlohmann::json;

bool is_gpu(const std::string& resource) { return resource.rfind("nvidia.com/", 0) == 0 || resource == "amd.com/gpu"; }

double gpus_of(const json& offers) {
    double out = 0.0;
    for (const auto& [name, amount] : offers.items()) out += is_gpu(name) ? amount.get<double>() : 0.0;
    return out;
}

}  // namespace

void node_costs::add(const json& pool, const json& offers, double hours) {
    pool_sums& sums = pools_[pool.at("id").get<std::string>()];
    sums.hours += hours;
    sums.gpu_hours += hours * gpus_of(offers);
    sums.cost += hours * pool.value("price_per_hour", 0.0);
}

void node_costs::note_size(const std::string& pool, std::int64_t nodes) {
    std::int64_t& most = pools_[pool].most;
    most = std::max(most, nodes);
}

json node_costs::report() const {
    json pools = json::array();
    pool_sums all;
    for (const auto& [id, one] : pools_) {
        pools.push_back({{"id", id},
                         {"most", one.most},
                         {"node_hours", one.hours},
                         {"gpu_hours", one.gpu_hours},
                         {"cost", one.cost}});
        all.hours += one.hours;
        all.gpu_hours += one.gpu_hours;
        all.cost += one.cost;
    }
    return {{"pools", std::move(pools)}, {"node_hours", all.hours}, {"gpu_hours", all.gpu_hours}, {"cost", all.cost}};
}

}  // namespace gputided
