#include "nodes/groups.hpp"
#include "nodes/passes.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

// Pairs of a group of pods and a node, beyond which only orders gpu and ca are tried.
constexpr std::size_t max_pairs_in_every_order = 4'000'000;

// Compares plans: the better one leaves fewer pods, then costs less, then adds fewer nodes.
struct outcome {
    std::int64_t left = 0;
    double cost = 0.0;
    bool cost_known = true;
    std::int64_t nodes = 0;

    outcome(const cluster& cluster, const plan& plan) {
        for (const group_result& group : plan.groups) left += group.left;
        for (std::size_t i = 0; i < plan.pools.size(); ++i) {
            if (plan.pools[i].add == 0) continue;
            nodes += plan.pools[i].add;
            cost_known = cost_known && cluster.pools[i].price_per_hour.has_value();
            cost += cluster.pools[i].price_per_hour.value_or(0.0) * static_cast<double>(plan.pools[i].add);
        }
    }

    bool is_better_than(const outcome& other) const {
        if (left != other.left) return left < other.left;
        if (cost_known && other.cost_known && cost != other.cost) return cost < other.cost;
        return nodes < other.nodes;
    }
};

}  // namespace

// Packing is a guess in any order, so that every one is tried: the plan is never worse than in cluster-autoscaler's.  Gangs are
// chosen in each order anew: which of them fit depends on it.
void plan_scale_up(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before, plan& out) {
    const plan known = out;
    plan_gangs(cluster, how, now_ms, before, out);
    out.order = how.order;
    if (how.order || how.strict) return;
    outcome best(cluster, out);
    if (best.left == 0 && best.nodes == 0) return;
    const bool equal_prices = std::all_of(cluster.pools.begin(), cluster.pools.end(), [&](const pool& pool) {
        return pool.price_per_hour == cluster.pools.front().price_per_hour;
    });
    if (equal_prices && best.left == 0 && best.nodes == min_new_nodes(cluster, out)) return;  // no order is better
    // A large plan takes its time in each order.
    const bool is_large = cluster.pending.size() * (cluster.nodes.size() + 1) > max_pairs_in_every_order;
    for (const packing_order order : {packing_order::ca, packing_order::largest}) {
        if (is_large && order == packing_order::largest) continue;
        options other = how;
        other.order = order;
        plan tried = known;
        plan_gangs(cluster, other, now_ms, before, tried);
        const outcome found(cluster, tried);
        if (!found.is_better_than(best)) continue;
        best = found;
        out = std::move(tried);
        out.order = order;
    }
}

}  // namespace gputide::nodes
