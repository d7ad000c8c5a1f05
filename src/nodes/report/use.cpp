#include "nodes/report/use.hpp"

#include "nodes/existing.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace gputide::nodes {
namespace {

bool goes_now(const node_result& one) { return one.why == stay::no_reason && one.removal; }

std::int64_t gpus_of(const pod& one) { return gpu_count(one.placement.requests); }

std::int64_t used_by(const std::vector<pod>& pods) { return gpu_count(taken_by(pods).used); }

std::vector<node_use> uses_of_nodes(const cluster& of, const plan& made) {
    const std::vector<node> expected = with_expected_pods(of, made);
    std::vector<node_use> out(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        out[i].gpus = gpu_count(expected[i].shape.allocatable);
        out[i].used = used_by(of.nodes[i].pods);
        out[i].goes = goes_now(made.nodes[i]);
        out[i].used_after = out[i].goes ? 0 : used_by(expected[i].pods);
    }
    for (const node_result& one : made.nodes) {
        if (!goes_now(one)) continue;
        // A pod that moved to a node which goes as well is in that node's moves again.
        for (const move& each : one.removal->moves) {
            if (!out[each.to].goes) out[each.to].used_after += gpus_of(expected[each.from].pods[each.pod]);
        }
    }
    return out;
}

void add_run(std::vector<added_use>& to, const added_use& one) {
    if (to.empty() || to.back().pool != one.pool || to.back().gpus != one.gpus || to.back().used != one.used) {
        to.push_back(one);
    } else {
        to.back().nodes += one.nodes;
    }
}

// Pools that share a pass take its nodes in their order; what they add beyond those is empty.
void add_uses_of_pass(const cluster& of, const pass& one,
                      const std::unordered_map<std::string_view, std::uint32_t>& pools, std::vector<added_use>& to) {
    std::size_t at = 0;
    for (const increase& each : one.increases) {
        const std::uint32_t pool = pools.at(each.pool);
        const std::int64_t gpus = gpu_count(of.pools[pool].shape->allocatable);
        for (std::int64_t k = each.from; k < each.to; ++k, ++at) {
            std::int64_t used = 0;
            for (const placed_group& pods : at < one.nodes.size() ? one.nodes[at] : std::vector<placed_group>{})
                used += pods.count * gpus_of(of.pending[pods.group].pod);
            add_run(to, {pool, 1, gpus, used});
        }
    }
}

void count(gpu_use& in, std::int64_t nodes, std::int64_t gpus, std::int64_t used, const pool* of) {
    if (gpus == 0 || nodes == 0) return;
    in.nodes += nodes;
    in.gpus += nodes * gpus;
    in.used += nodes * used;
    in.prices_known = in.prices_known && of != nullptr && of->price_per_hour;
    if (!in.prices_known) return;
    const double price = *of->price_per_hour * static_cast<double>(nodes);
    in.cost_per_hour += price;
    in.unused_cost_per_hour +=
        price * static_cast<double>(std::max<std::int64_t>(gpus - used, 0)) / static_cast<double>(gpus);
}

}  // namespace

plan_use use_of(const cluster& of, const plan& made) {
    plan_use out;
    out.nodes = uses_of_nodes(of, made);
    std::unordered_map<std::string_view, std::uint32_t> pools;
    for (std::uint32_t i = 0; i < of.pools.size(); ++i) pools.emplace(of.pools[i].id, i);
    for (const pass& one : made.passes) add_uses_of_pass(of, one, pools, out.added);

    const auto pool_of = [&](const std::string& id) {
        const auto at = pools.find(id);
        return at != pools.end() ? &of.pools[at->second] : nullptr;
    };
    for (std::size_t i = 0; i < of.nodes.size(); ++i) {
        if (made.nodes[i].state == node_class::deleted) continue;
        const node_use& one = out.nodes[i];
        count(out.before, 1, one.gpus, one.used, pool_of(of.nodes[i].pool));
        if (!one.goes) count(out.after, 1, one.gpus, one.used_after, pool_of(of.nodes[i].pool));
    }
    for (const added_use& one : out.added) count(out.after, one.nodes, one.gpus, one.used, &of.pools[one.pool]);
    return out;
}

}  // namespace gputide::nodes
