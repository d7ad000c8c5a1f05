// Pools' sizes with what a plan adds, and which of them may grow by how much.
#pragma once

#include "nodes/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::nodes {

class growth {
  public:
    // Borrows all of it.
    growth(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before);

    // Backed off or unhealthy, at its maximum, all or zero above the cluster's cap, no template, a bound, the cluster's cap.
    skipped_pool why_skipped(std::size_t pool) const;

    // Nodes that one option of that pool may have.  0: no limit; negative: none.
    std::int64_t node_limit(std::size_t pool) const;

    // The most nodes of that pool that every bound leaves room for.
    std::int64_t room_in_bounds(std::size_t pool) const;

    // Adds so many nodes, spread over similar pools where that is asked for; an all-or-zero pool gets all of its own.
    std::vector<increase> add(std::size_t pool, std::int64_t nodes);

    // Nodes of all pools and of none.
    std::int64_t cluster_size() const;

  private:
    // Pools like this one that could grow as well, itself first.
    std::vector<std::size_t> with_similar(std::size_t pool) const;
    std::int64_t total_of(const resource_bounds& bound) const;
    // Nodes of that pool that still fit below the bound's maximum.
    std::int64_t left_of(const resource_bounds& bound, std::size_t pool) const;

    const cluster& of_;
    const options& how_;
    std::int64_t now_ms_;
    const state& before_;
    std::vector<std::int64_t> sizes_;
    std::int64_t foreign_nodes_ = 0;  // of no pool
};

}  // namespace gputide::nodes
