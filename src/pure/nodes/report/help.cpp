#include "nodes/report/help.hpp"

#include "base/format_text.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

std::string help_against(const reason& reason, const placement& asks, const pool& pool) {
    const node_shape& shape = *pool.shape;
    switch (reason.code) {
        case misfit::node_selector:
            return format_text("{}: label its nodes as the pods' selector or affinity asks, or change that", pool.id);
        case misfit::untolerated_taint: {
            const auto at = std::find_if(shape.taints.begin(), shape.taints.end(),
                                         [&](const taint& each) { return each.key == reason.name; });
            return format_text("{}: add a toleration for {}={}:{} to the pods", pool.id, reason.name,
                               at != shape.taints.end() ? at->value : std::string(),
                               at != shape.taints.end() ? at->effect : std::string("NoSchedule"));
        }
        case misfit::gpu_model:
            return format_text("{}: its GPUs are {}, which the pods do not name", pool.id,
                               shape.gpu ? shape.gpu->model : std::string("none"));
        case misfit::gpu_memory:
            return format_text("{}: one unit of its GPUs has too little memory; share them among fewer pods", pool.id);
        case misfit::insufficient:
            return format_text("{}: a node of it has {} {} for pods, each pod asks for {}", pool.id,
                               free_of(shape).of(reason.name), reason.name,
                               reason.name == pods_name ? 1 : asks.requests.of(reason.name));
        case misfit::host_port:
            return format_text("{}: its daemons hold the pods' host port", pool.id);
    }
    return {};
}

std::string help_for_skip(const skipped_pool& skipped_pool, const pool& pool) {
    switch (skipped_pool.why) {
        case skip::at_max:
            return format_text("{}: raise its maximum, which is {}", pool.id, pool.max);
        case skip::quota:
            return format_text("{}: raise the cluster's limit of {}", pool.id, skipped_pool.resources);
        case skip::cluster_full:
        case skip::all_or_zero_above_cap:
            return format_text("{}: raise max-nodes-total", pool.id);
        case skip::no_template:
            return format_text("{}: write its allocatable or a known sku, or list one of its nodes", pool.id);
        case skip::backed_off:
        case skip::unhealthy:
            return format_text("{}: it is left alone for now; look at why its last nodes did not come", pool.id);
        case skip::capped:
            return format_text("{}: it has no room for all pods at once", pool.id);
        case skip::none:
            return {};
    }
    return {};
}

}  // namespace

std::vector<std::string> help_for(const cluster& cluster, const plan& plan, std::size_t group) {
    std::vector<std::string> out;
    const group_result& result = plan.groups[group];
    const placement& asks = cluster.pending[group].pod.placement;
    if (result.left == 0) return out;
    if (result.held == waits_for::priority)
        out.emplace_back("their priority is below the cutoff, so that no node is added for them");
    if (result.held == waits_for::delay) out.emplace_back("they are younger than their scale-up delay");
    if (asks.spread)
        out.emplace_back(
            "their topology spread or pod affinity is not looked at here, and may need more nodes than this plan says");
    for (std::size_t i = 0; i < cluster.pools.size(); ++i) {
        const auto rejected = result.rejected.find(cluster.pools[i].id);
        if (rejected != result.rejected.end()) {
            for (const reason& reason : rejected->second) out.push_back(help_against(reason, asks, cluster.pools[i]));
        } else if (std::string text = help_for_skip(plan.pools[i].skipped, cluster.pools[i]); !text.empty()) {
            out.push_back(std::move(text));
        }
    }
    if (cluster.pools.empty()) out.emplace_back("there is no pool that could grow");
    return out;
}

}  // namespace gputide::nodes
