// Budgets; see budget.hpp.
#include "decide/rules/budget.hpp"

#include "decide/saturate.hpp"

#include <algorithm>
#include <limits>

namespace gputide::decide {

std::int32_t affordable_replicas(const config::extra_rules& rules) noexcept {
    std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const std::int64_t gpus_milli = rules.gpus_per_replica_milli;
    if (gpus_milli <= 0) return most;
    if (rules.max_gpus_milli > 0) most = std::min(most, to_int32(rules.max_gpus_milli / gpus_milli));
    if (rules.max_cost_per_hour > 0 && rules.cost_per_gpu_hour > 0) {
        const double cost_per_replica = rules.cost_per_gpu_hour * static_cast<double>(gpus_milli) / 1000.0;
        const double replicas = rules.max_cost_per_hour / cost_per_replica;
        most = std::min(most, to_int32(replicas + replicas * 1e-12));  // 0.3 / 0.1 is 2.9999999999999996, and means 3
    }
    return most;
}

std::int32_t max_within_budget(const config::scaling& scaling) noexcept {
    return std::max(scaling.hpa_min(), std::min(scaling.max, affordable_replicas(scaling.extra)));
}

}  // namespace gputide::decide
