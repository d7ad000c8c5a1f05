#include "nodes/affinity.hpp"
#include "nodes/fit.hpp"
#include "nodes/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace gputide::nodes {
namespace {

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
    return !pod.placement.ports.empty() || std::any_of(terms.begin(), terms.end(), refuses_itself);
}

}  // namespace

// Adds up the pods' parts of a node by resource: at most 1 on any node.  Two pods of more than half do not share a node.
// Worked: 9 pods of 5 of 8 GPUs take 5.6 nodes in parts, and 9 nodes as pairs do not fit: at least 9.
std::int64_t min_new_nodes(const cluster& cluster, const plan& plan) {
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

}  // namespace gputide::nodes
