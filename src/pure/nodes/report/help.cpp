#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/dra/device.hpp"
#include "nodes/passes.hpp"
#include "nodes/report/json.hpp"

#include <algorithm>
#include <string_view>

namespace gputide::nodes {

namespace {

// Claims count as the devices that they need at least.
std::int64_t gpus_of(const pod& pod, const node_shape& shape) {
    std::int64_t sum = 0;
    for (const resource& request : pod.placement.requests) {
        if (is_gpu(request.name) && !is_mapped_on(pod.placement, shape, request.name)) sum += request.amount;
    }
    return pod.placement.claims == nullptr ? sum : sum + min_devices(claims_on(*pod.placement.claims, shape));
}

std::int64_t used_on(const node& node) {
    const gpu_count_of_devices devices = gpus_among_devices(node.shape);
    return devices.gpus > 0 ? devices.held : gpu_count(taken_by(node.pods).used);
}

std::int64_t gpus_on(const node_shape& shape) { return gpu_count(shape.allocatable) + gpus_among_devices(shape).gpus; }

std::vector<node_use> uses_of_nodes(const cluster& cluster, const plan& plan) {
    const node_list expected = with_expected_pods(cluster, plan);
    std::vector<node_use> out(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        out[i].gpus = gpus_on(expected[i].shape);
        out[i].used = used_on(cluster.nodes[i]);
        out[i].goes = goes_now(plan.nodes[i]);
        if (out[i].goes) continue;
        out[i].used_after = out[i].used;
        for (std::size_t k = cluster.nodes[i].pods.size(); k < expected[i].pods.size(); ++k)
            out[i].used_after += gpus_of(expected[i].pods[k], expected[i].shape);
    }
    if (plan.defragmentation.applied) {
        for (const move& each : plan.defragmentation.moves) {
            if (out[each.from].goes) continue;
            out[each.from].used_after -=
                gpus_of(cluster.nodes[each.from].pods[each.pod], cluster.nodes[each.from].shape);
        }
    }
    for (const node_result& node : plan.nodes) {
        if (!goes_now(node)) continue;
        // A pod that moved to a node that is also removed is in that node's moves again.
        for (const move& each : node.removal->moves) {
            if (out[each.to].goes) continue;
            out[each.to].used_after += gpus_of(expected[each.from].pods[each.pod], expected[each.to].shape);
        }
    }
    return out;
}

void add_run(std::vector<added_use>& uses, const added_use& use) {
    if (uses.empty() || uses.back().pool != use.pool || uses.back().gpus != use.gpus || uses.back().used != use.used) {
        uses.push_back(use);
    } else {
        uses.back().nodes += use.nodes;
    }
}

// Pools that share a pass take its nodes in order; nodes beyond those are empty.
void add_uses_of_pass(const cluster& cluster, const pass& pass, std::vector<added_use>& uses) {
    std::size_t at = 0;
    for (const increase& each : pass.increases) {
        const node_shape& shape = *cluster.pools[each.pool].shape;
        const std::int64_t gpus = gpus_on(shape);
        for (std::int64_t k = each.from; k < each.to; ++k, ++at) {
            std::int64_t used = 0;
            for (const placed_group& pods : at < pass.nodes.size() ? pass.nodes[at] : std::vector<placed_group>{})
                used += pods.count * gpus_of(cluster.pending[pods.group].pod, shape);
            add_run(uses, {each.pool, 1, gpus, used});
        }
    }
}

void count(gpu_use& gpu_use, std::int64_t nodes, std::int64_t gpus, std::int64_t used, const pool* pool) {
    if (gpus == 0 || nodes == 0) return;
    gpu_use.nodes += nodes;
    gpu_use.gpus += nodes * gpus;
    gpu_use.used += nodes * used;
    gpu_use.prices_known = gpu_use.prices_known && pool != nullptr && pool->price_per_hour;
    if (!gpu_use.prices_known) return;
    const double price = *pool->price_per_hour * static_cast<double>(nodes);
    gpu_use.cost_per_hour += price;
    gpu_use.unused_cost_per_hour +=
        price * static_cast<double>(std::max<std::int64_t>(gpus - used, 0)) / static_cast<double>(gpus);
}

}  // namespace

plan_use use_of(const cluster& cluster, const plan& plan) {
    plan_use out;
    out.nodes = uses_of_nodes(cluster, plan);
    for (const pass& pass : plan.passes) add_uses_of_pass(cluster, pass, out.added);
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        const node_result& result = plan.nodes[i];
        if (result.state == node_class::deleted) continue;
        const pool* const pool = result.pool != no_pool ? &cluster.pools[result.pool] : nullptr;
        const node_use& use = out.nodes[i];
        count(out.before, 1, use.gpus, use.used, pool);
        if (!use.goes) count(out.after, 1, use.gpus, use.used_after, pool);
    }
    for (const added_use& use : out.added) count(out.after, use.nodes, use.gpus, use.used, &cluster.pools[use.pool]);
    return out;
}

namespace {

std::string help_against(const reason& reason, const placement& asks, const node_shape& shape) {
    switch (reason.code) {
        case misfit::node_selector:
            return "label its nodes as the pods' selector or affinity asks, or change that";
        case misfit::untolerated_taint: {
            const auto at =
                std::ranges::find_if(shape.taints, [&](const taint& each) { return each.key == reason.name; });
            return format_text("add a toleration for {}={}:{} to the pods", reason.name,
                               at != shape.taints.end() ? at->value : std::string(),
                               at != shape.taints.end() ? at->effect : std::string("NoSchedule"));
        }
        case misfit::gpu_model:
            return format_text("its GPUs are {}, which the pods do not name",
                               shape.gpu ? shape.gpu->model : std::string("none"));
        case misfit::gpu_memory:
            return "one unit of its GPUs has too little memory; share them among fewer pods";
        case misfit::insufficient:
            return format_text("a node of it has {} for pods, each pod asks for {}",
                               amount_text(reason.name, free_of(shape).of(reason.name)),
                               amount_text(reason.name, reason.name == pods_name ? 1 : asks.requests.of(reason.name)));
        case misfit::host_port:
            return "its daemons hold the pods' host port";
        case misfit::pod_affinity:
            return "no pod that theirs must be beside can be on a new node of it";
        case misfit::pod_anti_affinity:
            return "a pod that theirs must not be beside is in the zone of its nodes";
        case misfit::topology_spread:
            return "one more pod in the zone of its nodes would spread them unevenly";
        case misfit::devices:
            if (shape.devices == nullptr)
                return "no ResourceSlice says which devices its nodes have; list a node's, or write the pool's "
                       "resource_slices";
            return format_text("a node of it has too few devices of DeviceClass {} that the claims select",
                               reason.name);
        case misfit::device_selector:
            return format_text(
                "a selector of DeviceClass {} or of the claim names what a device does not have; ask with has() first",
                reason.name);
        case misfit::claim_elsewhere:
            return "a claim of the pods is allocated on the node " + asks.claims->node;
        case misfit::devices_undecided:
            return why_undecided(*asks.claims);
    }
    return {};
}

std::string help_for_gang(const cluster& cluster, const plan& plan, const std::string& name) {
    const pod_gang& gang = cluster.gangs.at(name);
    const std::string wanted =
        gang.min_pods > 0 ? format_text("{} of its pods", gang.min_pods) : std::string("all of its pods");
    return format_text("{} needs places for {} at once: {} pods run and {} would have a place", name, wanted,
                       gang.running, plan.gangs_left.at(name));
}

std::string help_for_skip(const skipped_pool& skipped_pool, const pool& pool) {
    switch (skipped_pool.why) {
        case skip::at_max:
            return format_text("raise its maximum, which is {}", pool.max);
        case skip::quota:
            return "raise the cluster's limit of " + skipped_pool.resources;
        case skip::cluster_full:
        case skip::all_or_zero_above_cap:
            return "raise max-nodes-total";
        case skip::no_template:
            return "write its allocatable or a known sku, or list one of its nodes";
        case skip::backed_off:
        case skip::unhealthy:
            return "it is left alone for now; look at why its last nodes did not come";
        case skip::capped:
            return "not all pods fit into it at once";
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
    out.insert(out.end(), asks.unmodeled.begin(), asks.unmodeled.end());
    if (result.held == waits_for::unmodeled) return out;
    if (result.held == waits_for::delay) out.emplace_back("they are younger than their scale-up delay");
    if (result.held == waits_for::device_error) {
        out.emplace_back(
            "the allocation of devices fails on a node that they fit otherwise, and the scheduler then tries no other: "
            "a selector "
            "names what a device does not have (ask with has() first), or allocationMode All meets an incomplete pool "
            "or breaks "
            "a constraint");
        return out;
    }
    if (result.held == waits_for::gang) {
        out.push_back(help_for_gang(cluster, plan, cluster.pending[group].pod.gang));
        return out;
    }
    for (std::size_t i = 0; i < cluster.pools.size(); ++i) {
        const pool& pool = cluster.pools[i];
        const auto add = [&](std::string_view text) { out.push_back(format_text("{}: {}", pool.id, text)); };
        if (const auto rejected = result.rejected.find(pool.id); rejected != result.rejected.end()) {
            for (const reason& reason : rejected->second) add(help_against(reason, asks, *pool.shape));
        } else if (const std::string text = help_for_skip(plan.pools[i].skipped, pool); !text.empty()) {
            add(text);
        }
    }
    if (cluster.pools.empty()) out.emplace_back("there is no pool that could grow");
    return out;
}

}  // namespace gputide::nodes
