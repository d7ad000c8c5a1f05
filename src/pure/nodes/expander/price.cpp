// kubernetes/autoscaler expander/price/price.go, preferred.go.
#include "nodes/expander/option.hpp"
#include "nodes/readiness.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gputide::nodes {

std::optional<double> price_score(const option& option, const preference& how) {
    if (option.shape == nullptr || !option.price_per_hour || !option.pods_price) return std::nullopt;
    const auto nodes = static_cast<double>(option.nodes);
    const double sub =
        (*option.price_per_hour * nodes + how.stabilization_price) / (*option.pods_price + how.stabilization_price);
    const auto cpu = static_cast<double>(option.shape->capacity_or_allocatable().of(cpu_name));
    const double unfit = unfitness(static_cast<double>(how.preferred_cpu_milli), cpu);
    double sup = (unfit - 1.0) * (1.0 - std::tanh((nodes - 1.0) / 15.0)) + 1.0;
    if (has_gpu(*option.shape)) sup = 1000.0;
    return sup * sub * (option.exists ? 1.0 : 2.0);
}

double unfitness(double preferred_cpu, double node_cpu) {
    return std::max(preferred_cpu / node_cpu, node_cpu / preferred_cpu);
}

std::int64_t preferred_cpu_milli(std::int64_t cluster_nodes) {
    struct row {
        std::int64_t most_nodes;
        std::int64_t cores;
    };
    static constexpr std::array<row, 5> rows{{{2, 1}, {6, 2}, {20, 4}, {60, 8}, {200, 16}}};
    for (const row& entry : rows) {
        if (cluster_nodes <= entry.most_nodes) return entry.cores * 1000;
    }
    return 32'000;
}

}  // namespace gputide::nodes
