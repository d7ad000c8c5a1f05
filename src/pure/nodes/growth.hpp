// The growth of pools within a plan, and its limits.
#pragma once

#include "base/saturate.hpp"
#include "base/text.hpp"
#include "nodes/expander.hpp"
#include "nodes/passes.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace gputide::nodes {

inline constexpr std::int64_t nothing_may_be_added = -1;

// Combines two limits:
//   base < 0 or target < 0                           → -1
//   (base = 0 or base > target) and target > 0       → target
//   else                                             → base
inline std::int64_t combine_limits(std::int64_t base, std::int64_t target) {
    if (base < 0 || target < 0) return nothing_may_be_added;
    if ((base == 0 || base > target) && target > 0) return target;
    return base;
}

// Combines all limits, starting from 0.
inline std::int64_t combine_limits(std::span<const std::int64_t> thresholds) {
    std::int64_t out = 0;
    for (const std::int64_t threshold : thresholds) out = combine_limits(out, threshold);
    return out;
}

// Returns the remaining capacity of a pool and similar pools: the sum of max(0, max − size); -1 if it is 0.
inline std::int64_t pool_headroom(const pool_size& own, std::span<const pool_size> similar) {
    std::int64_t sum = std::max<std::int64_t>(0, subtract_saturating(own.max, own.size));
    for (const pool_size& size : similar)
        sum = add_saturating(sum, std::max<std::int64_t>(0, subtract_saturating(size.max, size.size)));
    return sum > 0 ? sum : nothing_may_be_added;
}

// Returns the remaining capacity under max-nodes-total (0: no limit): max < 0 or max ≤ current → -1, else max − current.
inline std::int64_t cluster_headroom(std::int64_t max_nodes_total, std::int64_t current) {
    if (max_nodes_total == 0) return 0;
    return max_nodes_total < 0 || max_nodes_total <= current ? nothing_may_be_added : max_nodes_total - current;
}

// Grants nodes one by one.
class node_limiter {
  public:
    explicit node_limiter(std::int64_t limit) : limit_(limit) {}

    // Counts the node if it is granted.
    bool may_add() {
        const bool may = limit_ == 0 || added_ < limit_;
        if (may) ++added_;
        return may;
    }

  private:
    std::int64_t limit_;
    std::int64_t added_ = 0;
};

// Pool sizes including a plan's additions, and the limits of their growth.
class growth {
  public:
    explicit growth(const planning& given) : given_(given), of_(given.of), how_(given.how) {
        for (const pool& pool : of_.pools) sizes_.push_back(pool.size);
        fitting_.resize(sizes_.size());
        foreign_nodes_ = std::ranges::count_if(of_.nodes, [](const node& node) { return node.pool.empty(); });
    }

    // Returns why a pool cannot grow: in backoff or unhealthy, at its maximum, all-or-zero above the cluster's limit, without
    // a template, at a bound, or at the cluster's limit.
    skipped_pool why_skipped(std::size_t pool) const {
        const nodes::pool& entry = of_.pools[pool];
        if (entry.backed_off || is_backed_off(given_.before.backoff, entry.id, given_.now_ms))
            return {skip::backed_off, {}};
        if (entry.unhealthy) return {skip::unhealthy, {}};
        if (sizes_[pool] >= entry.max) return {skip::at_max, {}};
        const std::int64_t headroom = cluster_headroom(how_.max_nodes_total, cluster_size());
        const bool jumps_too_far = headroom < 0 || (headroom > 0 && entry.max - sizes_[pool] > headroom);
        if (entry.all_or_zero && jumps_too_far) return {skip::all_or_zero_above_cap, {}};
        if (!entry.shape) return {skip::no_template, {}};
        skipped_pool exceeded;
        const std::int64_t next = entry.all_or_zero ? entry.max - sizes_[pool] : 1;
        for (const resource_bounds& bound : how_.bounds) {
            if (left_of(bound, pool) >= next) continue;
            exceeded.why = skip::quota;
            append_item(exceeded.resources, bound.resource);
            if (!bound.family.empty()) exceeded.quota = bound.family;
        }
        if (exceeded.why == skip::quota) return exceeded;
        if (headroom < 0) return {skip::cluster_full, {}};
        return {};
    }

    // Sets the groups of pods that fit a pool's template, in order: pools are similar only for pods that fit both.
    void set_fitting(std::size_t pool, const std::vector<std::uint32_t>& groups) { fitting_[pool] = groups; }

    // Returns the maximum of nodes that an option of that pool may add. 0: no limit; negative: none.
    std::int64_t node_limit(std::size_t pool) const {
        std::vector<pool_size> similar;
        for (const std::size_t i : with_similar(pool)) {
            if (i != pool) similar.push_back({sizes_[i], of_.pools[i].max});
        }
        const std::vector<std::int64_t> thresholds{how_.max_nodes_per_scale_up,
                                                   pool_headroom({sizes_[pool], of_.pools[pool].max}, similar),
                                                   cluster_headroom(how_.max_nodes_total, cluster_size())};
        return combine_limits(thresholds);
    }

    // Returns the largest number of nodes of that pool within all bounds.
    std::int64_t headroom_in_bounds(std::size_t pool) const {
        std::int64_t headroom = std::numeric_limits<std::int64_t>::max();
        for (const resource_bounds& bound : how_.bounds) headroom = std::min(headroom, left_of(bound, pool));
        return headroom;
    }

    // Adds nodes, distributed over similar pools if configured; an all-or-zero pool gets all of its nodes.
    std::vector<increase> add(std::size_t pool, std::int64_t nodes) {
        const std::vector<std::size_t> pools = with_similar(pool);
        std::vector<pool_size> shares;
        for (const std::size_t i : pools) shares.push_back({sizes_[i], of_.pools[i].max});
        const bool whole = of_.pools[pool].all_or_zero;
        const std::vector<std::int64_t> sizes = balanced_sizes(shares, whole ? shares[0].max - shares[0].size : nodes);
        std::vector<increase> out;
        for (std::size_t k = 0; k < pools.size(); ++k) {
            if (sizes[k] == sizes_[pools[k]]) continue;
            out.push_back({static_cast<std::uint32_t>(pools[k]), sizes_[pools[k]], sizes[k]});
            sizes_[pools[k]] = sizes[k];
        }
        return out;
    }

    // Returns the number of nodes of all pools and without a pool.
    std::int64_t cluster_size() const { return std::accumulate(sizes_.begin(), sizes_.end(), foreign_nodes_); }

  private:
    // Returns the pool and the similar pools that could also grow.
    std::vector<std::size_t> with_similar(std::size_t pool) const {
        std::vector<std::size_t> out{pool};
        if (!how_.balance_similar || of_.pools[pool].all_or_zero) return out;
        for (std::size_t i = 0; i < of_.pools.size(); ++i) {
            const bool can_grow = i != pool && !of_.pools[i].all_or_zero &&
                                  of_.pools[i].family == of_.pools[pool].family && why_skipped(i).why == skip::none;
            const bool fits =
                std::includes(fitting_[i].begin(), fitting_[i].end(), fitting_[pool].begin(), fitting_[pool].end());
            if (can_grow && fits && are_similar(*of_.pools[pool].shape, *of_.pools[i].shape, how_)) out.push_back(i);
        }
        return out;
    }

    std::int64_t total_of(const resource_bounds& bound) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < of_.pools.size(); ++i) {
            const nodes::pool& pool = of_.pools[i];
            if (!pool.shape || (!bound.family.empty() && bound.family != pool.family)) continue;
            sum = add_saturating(sum, multiply_saturating(amount_of_node(*pool.shape, bound.resource), sizes_[i]));
        }
        if (!bound.family.empty()) return sum;
        for (const node& node : of_.nodes) {
            if (node.pool.empty()) sum = add_saturating(sum, amount_of_node(node.shape, bound.resource));
        }
        return sum;
    }

    // Returns the number of that pool's nodes that are possible below the bound's maximum.
    std::int64_t left_of(const resource_bounds& bound, std::size_t pool) const {
        const nodes::pool& entry = of_.pools[pool];
        const std::int64_t each = amount_of_node(*entry.shape, bound.resource);
        const bool holds = bound.max && each > 0 && (bound.family.empty() || bound.family == entry.family);
        if (!holds) return std::numeric_limits<std::int64_t>::max();
        return std::max<std::int64_t>(0, subtract_saturating(*bound.max, total_of(bound))) / each;
    }

    const planning& given_;
    const cluster& of_;
    const options& how_;
    std::vector<std::int64_t> sizes_;
    std::vector<std::vector<std::uint32_t>> fitting_;  // by pool
    std::int64_t foreign_nodes_ = 0;                   // nodes without a pool
};

}  // namespace gputide::nodes
