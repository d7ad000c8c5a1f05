#include "nodes/limits.hpp"

#include "base/saturate.hpp"
#include "nodes/resources.hpp"

#include <algorithm>
#include <limits>

namespace gputide::nodes {

std::int64_t combine_limits(std::int64_t base, std::int64_t target) {
    if (base < 0 || target < 0) return nothing_may_be_added;
    if ((base == 0 || base > target) && target > 0) return target;
    return base;
}

std::int64_t combine_limits(std::span<const std::int64_t> thresholds) {
    std::int64_t out = 0;
    for (const std::int64_t threshold : thresholds) out = combine_limits(out, threshold);
    return out;
}

std::int64_t pool_room(const pool_size& own, std::span<const pool_size> similar) {
    std::int64_t sum = std::max<std::int64_t>(0, subtract_saturating(own.max, own.size));
    for (const pool_size& size : similar)
        sum = add_saturating(sum, std::max<std::int64_t>(0, subtract_saturating(size.max, size.size)));
    return sum > 0 ? sum : nothing_may_be_added;
}

std::int64_t cluster_room(std::int64_t max_nodes_total, std::int64_t current) {
    if (max_nodes_total == 0) return 0;
    return max_nodes_total < 0 || max_nodes_total <= current ? nothing_may_be_added : max_nodes_total - current;
}

bool node_limiter::may_add() {
    if (left() <= 0) return false;
    ++added_;
    return true;
}

std::int64_t node_limiter::left() const {
    if (limit_ < 0) return 0;
    return limit_ == 0 ? std::numeric_limits<std::int64_t>::max() : limit_ - added_;
}

}  // namespace gputide::nodes
