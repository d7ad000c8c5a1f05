// The growth of pools within a plan, and its limits.
#pragma once

#include "nodes/plan.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gputide::nodes {

inline constexpr std::int64_t nothing_may_be_added = -1;

// Combines two limits:
//   base < 0 or target < 0                           → -1
//   (base = 0 or base > target) and target > 0       → target
//   else                                             → base
std::int64_t combine_limits(std::int64_t base, std::int64_t target);

// Combines all limits, starting from 0.
std::int64_t combine_limits(std::span<const std::int64_t> thresholds);

// Returns the remaining capacity of a pool and similar pools: the sum of max(0, max − size); -1 if it is 0.
std::int64_t pool_headroom(const pool_size& own, std::span<const pool_size> similar);

// Returns the remaining capacity under max-nodes-total (0: no limit): max < 0 or max ≤ current → -1, else max − current.
std::int64_t cluster_headroom(std::int64_t max_nodes_total, std::int64_t current);

// Grants nodes one by one.
class node_limiter {
  public:
    explicit node_limiter(std::int64_t limit) : limit_(limit) {}
    bool may_add();             // counts the node if it is granted
    std::int64_t left() const;  // number of further nodes

  private:
    std::int64_t limit_;
    std::int64_t added_ = 0;
};

// Pool sizes including a plan's additions, and the limits of their growth.

class growth {
  public:
    // Borrows all arguments.
    growth(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before);

    // Returns why a pool cannot grow: in backoff or unhealthy, at its maximum, all-or-zero above the cluster's limit, without
    // a template, at a bound, or at the cluster's limit.
    skipped_pool why_skipped(std::size_t pool) const;

    // Sets the groups of pods that fit a pool's template, in order: pools are similar only for pods that fit both.
    void set_fitting(std::size_t pool, const std::vector<std::uint32_t>& groups);

    // Returns the maximum of nodes that an option of that pool may add. 0: no limit; negative: none.
    std::int64_t node_limit(std::size_t pool) const;

    // Returns the largest number of nodes of that pool within all bounds.
    std::int64_t headroom_in_bounds(std::size_t pool) const;

    // Adds nodes, distributed over similar pools if configured; an all-or-zero pool gets all of its nodes.
    std::vector<increase> add(std::size_t pool, std::int64_t nodes);

    // Returns the number of nodes of all pools and without a pool.
    std::int64_t cluster_size() const;

  private:
    // Returns the pool and the similar pools that could also grow.
    std::vector<std::size_t> with_similar(std::size_t pool) const;
    std::int64_t total_of(const resource_bounds& bound) const;
    // Returns the number of that pool's nodes that are possible below the bound's maximum.
    std::int64_t left_of(const resource_bounds& bound, std::size_t pool) const;

    const cluster& of_;
    const options& how_;
    std::int64_t now_ms_;
    const state& before_;
    std::vector<std::int64_t> sizes_;
    std::vector<std::vector<std::uint32_t>> fitting_;  // by pool
    std::int64_t foreign_nodes_ = 0;                   // nodes without a pool
};

}  // namespace gputide::nodes
