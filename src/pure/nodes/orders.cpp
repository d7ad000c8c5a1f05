// The choice among plans: with or without a gang, and in which packing order.
#include "base/stable_order.hpp"
#include "nodes/passes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace gputide::nodes {
namespace {

struct gang_count {
    std::string_view name;
    std::int32_t priority = 0;
    std::int64_t pods = 0;
    std::int64_t placed = 0;
};

// Returns the gangs of the pending pods in the order of their first pods; `placed` counts their pods in the plan's groups.
std::vector<gang_count> count_gangs(const cluster& cluster, const scale_up_plan& plan) {
    std::vector<gang_count> out;
    std::map<std::string_view, std::size_t> positions;
    for (std::size_t i = 0; i < cluster.pending.size(); ++i) {
        const pod_group& group = cluster.pending[i];
        if (group.pod.gang.empty()) continue;
        const auto [at, is_new] = positions.try_emplace(group.pod.gang, out.size());
        if (is_new) out.push_back({group.pod.gang, group.pod.priority});
        gang_count& gang = out[at->second];
        gang.priority = std::min(gang.priority, group.pod.priority);
        gang.pods += group.count;
        if (i < plan.groups.size()) gang.placed += plan.groups[i].on_existing + plan.groups[i].on_new;
    }
    return out;
}

bool is_satisfied(const gang_count& count, const pod_gang& gang) {
    const std::int64_t wanted =
        gang.min_pods > 0 ? std::max<std::int64_t>(0, gang.min_pods - gang.running) : count.pods;
    return count.placed >= wanted;
}

// Limit of attempts.  Each attempt computes a whole plan; 100 gangs that never fit need about 200 attempts.
constexpr std::size_t max_attempts = 400;

class gang_planner {
  public:
    gang_planner(const planning& given, const plan& known, const scale_up_plan& blank)
        : given_(given), known_(known), blank_(blank), order_(count_gangs(given.of, blank)) {
        sort_stably(order_, [](const gang_count& a, const gang_count& b) { return a.priority > b.priority; });
        for (const gang_count& gang : order_) left_.emplace(gang.name, 0);
    }

    scale_up_plan run() {
        best_ = plan_now();
        add(order_);
        best_.gangs_left = left_;  // with the number of pods that the last attempt placed
        return std::move(best_);
    }

  private:
    scale_up_plan plan_now() const {
        scale_up_plan out = blank_;
        out.gangs_left = left_;
        scale_up_in_order(given_, known_, out);
        return out;
    }

    // Adds the gangs if then every gang in the plan is satisfied or the scale-up waits; otherwise tries each half alone.
    void add(std::span<const gang_count> gangs) {
        if (gangs.empty() || ++attempts_ > max_attempts) return;  // untried gangs stay in left_
        for (const gang_count& gang : gangs) left_.erase(std::string(gang.name));
        scale_up_plan attempt = plan_now();
        const std::vector<gang_count> counts = count_gangs(given_.of, attempt);
        const bool waits =
            attempt.scale_up == verdict_of_pass::too_new || attempt.scale_up == verdict_of_pass::unhealthy;
        const bool all = std::ranges::all_of(counts, [&](const gang_count& gang) {
            const std::string name(gang.name);
            return left_.contains(name) || is_satisfied(gang, given_.of.gangs.at(name));
        });
        if (all || waits) {
            best_ = std::move(attempt);
            return;
        }
        for (const gang_count& gang : gangs) left_.emplace(gang.name, placed_of(counts, gang.name));
        if (gangs.size() == 1) return;
        add(gangs.first(gangs.size() / 2));
        add(gangs.subspan(gangs.size() / 2));
    }

    static std::int64_t placed_of(const std::vector<gang_count>& counts, std::string_view name) {
        const auto at = std::ranges::find_if(counts, [&](const gang_count& gang) { return gang.name == name; });
        return at != counts.end() ? at->placed : 0;
    }

    const planning& given_;
    const plan& known_;
    const scale_up_plan& blank_;
    std::size_t attempts_ = 0;
    std::vector<gang_count> order_;             // by descending priority, then by the first pod's position
    std::map<std::string, std::int64_t> left_;  // gangs outside the plan, with their placed pods in the last attempt
    scale_up_plan best_;
};

// Plans the scale-up in an order, with the gangs that get their places.
scale_up_plan plan_in_order(std::optional<packing_order> order, const planning& given, const plan& known) {
    scale_up_plan out = known;
    out.order = order;
    if (!given.of.gangs.empty()) return gang_planner(given, known, out).run();
    scale_up_in_order(given, known, out);
    return out;
}

// The part of a node that a pod takes, by resource: of the pool that has most of it among those that fit the pod.
std::map<std::string, double> parts_of(const placement& asks, const cluster& cluster) {
    std::map<std::string, double> out;
    resource_list wanted = asks.requests;
    wanted.set(pods_name, 1);
    for (const pool& pool : cluster.pools) {
        if (!pool.shape || !why_not_on_template(asks, *pool.shape).empty()) continue;
        const resource_list free = free_of(*pool.shape);
        for (const resource& each : wanted) {
            const auto has = static_cast<double>(free.of(each.name));
            const double part = has > 0.0 ? static_cast<double>(each.amount) / has : 0.0;
            const auto [at, is_new] = out.try_emplace(each.name, part);
            if (!is_new) at->second = std::min(at->second, part);
        }
    }
    return out;
}

bool needs_node_of_its_own(const pod& pod) {
    const auto refuses_itself = [&](const pod_term& term) {
        return term.key == hostname_key && term_selects(term, pod);
    };
    const std::vector<pod_term>& terms = pod.placement.pod_anti_affinity;
    return !pod.placement.ports.empty() || std::ranges::any_of(terms, refuses_itself);
}

// Pairs of a group of pods and a node, beyond which only orders gpu and ca are tried.
constexpr std::size_t max_pairs_in_every_order = 4'000'000;

// Compares plans: the better one leaves fewer pods, then costs less, then adds fewer nodes.
struct outcome {
    std::int64_t left = 0;
    double cost = 0.0;
    bool cost_known = true;
    std::int64_t nodes = 0;

    outcome(const cluster& cluster, const scale_up_plan& plan) {
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

// Returns the best plan of all packing orders: none is always the best, and cluster-autoscaler's is among them.  Gangs are chosen
// anew in each order, because which of them fit depends on it.
scale_up_plan best_scale_up(const planning& given, const plan& known) {
    const cluster& cluster = given.of;
    const options& how = given.how;
    scale_up_plan out = plan_in_order(how.order, given, known);
    if (how.order || how.strict) return out;
    outcome best(cluster, out);
    if (best.left == 0 && best.nodes == 0) return out;
    const bool equal_prices = std::ranges::all_of(
        cluster.pools, [&](const pool& pool) { return pool.price_per_hour == cluster.pools.front().price_per_hour; });
    if (equal_prices && best.left == 0 && best.nodes == min_new_nodes(cluster, out)) return out;  // no order is better
    // A large plan takes its time in each order.
    const bool is_large = cluster.pending.size() * (cluster.nodes.size() + 1) > max_pairs_in_every_order;
    for (const packing_order order : {packing_order::ca, packing_order::largest}) {
        if (is_large && order == packing_order::largest) continue;
        scale_up_plan tried = plan_in_order(order, given, known);
        const outcome found(cluster, tried);
        if (!found.is_better_than(best)) continue;
        best = found;
        out = std::move(tried);
    }
    return out;
}

}  // namespace

// Adds up the pods' parts of a node by resource: at most 1 on any node.  Two pods of more than half do not share a node.
// Worked: 9 pods of 5 of 8 GPUs take 5.6 nodes in parts, and 9 nodes as pairs do not fit: at least 9.
std::int64_t min_new_nodes(const cluster& cluster, const scale_up_plan& plan) {
    constexpr double rounding = 1e-9;
    struct sums {
        double parts = 0.0;
        std::int64_t large = 0;
    };
    std::map<std::string, sums> by_resource;
    std::int64_t out = 0;
    for (std::size_t i = 0; i < plan.groups.size(); ++i) {
        const std::int64_t pods = plan.groups[i].on_new;
        if (pods == 0) continue;
        if (needs_node_of_its_own(cluster.pending[i].pod)) out = std::max(out, pods);
        for (const auto& [name, part] : parts_of(cluster.pending[i].pod.placement, cluster)) {
            sums& of = by_resource[name];
            of.parts += part * static_cast<double>(pods);
            if (part > 0.5 + rounding) of.large += pods;
        }
    }
    for (const auto& [name, of] : by_resource)
        out = std::max({out, of.large, static_cast<std::int64_t>(std::ceil(of.parts - rounding))});
    return out;
}

void plan_scale_up(const planning& given, plan& out) { static_cast<scale_up_plan&>(out) = best_scale_up(given, out); }

}  // namespace gputide::nodes
