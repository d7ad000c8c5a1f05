// Pool sizes including a plan's additions, and the limits of their growth.
#pragma once

#include "nodes/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::nodes {

class growth {
  public:
    // Borrows all arguments.
    growth(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before);

    // Returns why a pool cannot grow: backed off or unhealthy, at its maximum, all or zero above the cluster's cap, no
    // template, a bound, the cluster's cap.
    skipped_pool why_skipped(std::size_t pool) const;

    // Returns the number of nodes that one option of that pool may add.  0: no limit; negative: none.
    std::int64_t node_limit(std::size_t pool) const;

    // Returns the largest number of nodes of that pool within all bounds.
    std::int64_t room_in_bounds(std::size_t pool) const;

    // Adds nodes, distributed over similar pools if configured; an all-or-zero pool gets all of its own.
    std::vector<increase> add(std::size_t pool, std::int64_t nodes);

    // Returns the nodes of all pools and without a pool.
    std::int64_t cluster_size() const;

  private:
    // Returns similar pools that could grow as well, the pool itself first.
    std::vector<std::size_t> with_similar(std::size_t pool) const;
    std::int64_t total_of(const resource_bounds& bound) const;
    // Returns the number of nodes of that pool that fit below the bound's maximum.
    std::int64_t left_of(const resource_bounds& bound, std::size_t pool) const;

    const cluster& of_;
    const options& how_;
    std::int64_t now_ms_;
    const state& before_;
    std::vector<std::int64_t> sizes_;
    std::int64_t foreign_nodes_ = 0;  // without a pool
};

}  // namespace gputide::nodes
