#include "base/stable_order.hpp"
#include "nodes/dra/device.hpp"
#include "nodes/passes.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gputide::nodes {
namespace {

// Returns the template with the most GPUs: it defines the packing order if nodes differ.
const node_shape* reference_shape(const cluster& cluster) {
    const node_shape* best = nullptr;
    const auto look_at = [&](const node_shape& shape) {
        const auto gpus = [](const node_shape& of) {
            return gpu_count(of.allocatable) + (of.devices ? static_cast<std::int64_t>(of.devices->devices.size()) : 0);
        };
        if (best == nullptr || gpus(shape) > gpus(*best)) best = &shape;
    };
    for (const pool& pool : cluster.pools) {
        if (pool.shape) look_at(*pool.shape);
    }
    for (const node& node : cluster.nodes) look_at(node.shape);
    return best;
}

// Equal pods that are placed together.
struct pod_run {
    std::uint32_t group = 0;
    std::int64_t count = 0;
    std::uint32_t position = 0;
};

// The pods one by one in the order of their list, as upstream.
std::vector<pod_run> listed_runs(const cluster& cluster) {
    std::vector<pod_run> pods;
    for (std::uint32_t i = 0; i < cluster.pending.size(); ++i) {
        const pod_group& group = cluster.pending[i];
        if (group.positions.empty()) pods.push_back({i, group.count, 0});
        for (const std::uint32_t position : group.positions) pods.push_back({i, 1, position});
    }
    sort_stably(pods, [](const pod_run& a, const pod_run& b) { return a.position < b.position; });
    return pods;
}

std::vector<pod_run> sequence_of(const cluster& cluster, const options& how, std::optional<packing_order> chosen) {
    std::vector<pod_run> out;
    const node_shape* const reference = reference_shape(cluster);
    const packing_order order = reference != nullptr ? order_for(*reference, how, chosen) : packing_order::ca;
    if (order != packing_order::ca) {
        std::vector<pod_count> counts;
        for (const pod_group& group : cluster.pending) counts.push_back({&group.pod.placement, group.count});
        for (const std::uint32_t group : packing_sequence(counts, *reference, order))
            out.push_back({group, cluster.pending[group].count, 0});
    } else {
        out = listed_runs(cluster);
    }
    sort_stably(out, [&](const pod_run& a, const pod_run& b) {
        return cluster.pending[a.group].pod.priority > cluster.pending[b.group].pod.priority;
    });
    // Neighbors of one group go together.
    std::size_t last = 0;
    for (std::size_t i = 1; i < out.size(); ++i) {
        if (out[i].group == out[last].group) {
            out[last].count += out[i].count;
        } else {
            out[++last] = out[i];
        }
    }
    if (!out.empty()) out.resize(last + 1);
    return out;
}

// Places equal pods, node after node; tells whether all have a place.
bool place_run(bins& places, const pod_run& run, bool has_rules, const std::vector<std::string>& names,
               group_result& group) {
    const bool can_err = places.can_err(run.group);  // then pods go one by one, as in the scheduler
    const auto next = [&](std::uint32_t from) { return can_err ? from : places.next_with_capacity(run.group, from); };
    bool changed = can_err;
    std::int64_t left = run.count;
    bool again = true;
    while (again && left > 0) {
        again = false;
        for (std::uint32_t bin = next(0); bin < places.size() && left > 0;) {
            if (std::exchange(changed, false) && places.is_error(run.group)) {
                group.held = waits_for::device_error;
                return false;
            }
            const std::uint32_t at = bin;
            const std::int64_t placed = places.place(run.group, at, can_err ? 1 : left);
            if (placed == 0 || !can_err) bin = next(bin + 1);
            if (placed == 0) continue;
            again = has_rules;  // with a pod in each zone, each may have one more
            changed = can_err;
            left -= placed;
            group.left -= placed;
            group.on_existing += placed;
            group.on_nodes[names[at]] += placed;
        }
    }
    return left == 0;
}

}  // namespace

packing_order order_for(const node_shape& shape, const options& how, std::optional<packing_order> chosen) {
    const packing_order order = chosen.value_or(how.strict ? packing_order::ca : packing_order::gpu);
    const bool has_gpus = gpu_count(shape.allocatable) > 0 || shape.devices != nullptr;
    return order == packing_order::gpu && !has_gpus ? packing_order::ca : order;
}

bool is_simulated(const cluster& cluster, const plan& plan, std::size_t node) {
    const node_result& result = plan.nodes[node];
    if (result.state == node_class::deleted || result.state == node_class::suspended) return false;
    if (result.state != node_class::not_started || result.pool == no_pool) return true;
    return plan.pools[result.pool].upcoming == 0 || !cluster.pools[result.pool].shape;
}

std::optional<pod_topology> topology_of(std::span<const pod_group> pending, std::span<const node> nodes) {
    const auto has_rules = [](const auto& holder) { return pod_topology::has_rules(holder.pod); };
    const bool any = std::ranges::any_of(pending, has_rules) || std::ranges::any_of(nodes, [](const node& node) {
                         return std::ranges::any_of(node.pods, pod_topology::has_rules);
                     });
    if (!any) return std::nullopt;
    pod_topology out;
    for (const pod_group& group : pending) out.add_kind(group.pod);
    for (const node& node : nodes) {
        for (const pod& pod : node.pods) out.add_kind(pod);
    }
    return out;
}

void place_on_existing(const planning& given, const plan& known, pod_topology* rules, scale_up_plan& out) {
    const cluster& cluster = given.of;
    std::vector<group_result>& groups = out.groups;
    bins places(rules);
    for (const pod_group& group : cluster.pending) places.add_demand(group.pod);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        const node& node = cluster.nodes[i];
        if (!is_simulated(cluster, known, i)) continue;
        const std::uint32_t bin = places.add_bin(places.add_kind(node.shape, node.name), taken_by(node.pods));
        if (rules != nullptr) {
            for (const pod& pod : node.pods) {
                if (!pod.finished()) rules->place(rules->add_kind(pod), bin, 1);
            }
        }
        names.push_back(node.name);
    }
    for (std::size_t i = 0; i < cluster.pools.size(); ++i) {
        const pool& pool = cluster.pools[i];
        if (!pool.shape || known.pools[i].upcoming == 0) continue;
        const std::uint32_t kind = places.add_kind(*pool.shape);
        occupied daemons;
        daemons.used = pool.shape->daemon_requests;
        for (std::int64_t k = 0; k < known.pools[i].upcoming; ++k) {
            places.add_bin(kind, daemons);
            names.push_back("upcoming node of " + pool.id);
        }
    }
    std::vector<bool> is_refused(groups.size(), false);  // the pods that follow are not tried, as upstream
    for (const pod_run& run : sequence_of(cluster, given.how, out.order)) {
        group_result& group = groups[run.group];
        const bool is_held = group.held == waits_for::unmodeled || group.held == waits_for::gang;
        if (is_held || is_refused[run.group]) continue;
        is_refused[run.group] = !place_run(places, run, rules != nullptr, names, group);
    }
    for (std::uint32_t i = 0; i < groups.size(); ++i) groups[i].undecided = places.is_undecided(i);
}

namespace {

std::unordered_map<std::string_view, std::size_t> positions_of(std::span<const node> nodes) {
    std::unordered_map<std::string_view, std::size_t> out;
    for (std::size_t i = 0; i < nodes.size(); ++i) out.emplace(nodes[i].name, i);
    return out;
}

// In the pod's place stays an ended mirror pod, so that the pods behind it keep their index.
void move_pod(const move& of, node_list& nodes) {
    pod stays;
    stays.mirror = true;
    stays.phase = phase::succeeded;
    pod moved = std::exchange(nodes.change(of.from).pods[of.pod], std::move(stays));
    nodes.change(of.to).pods.push_back(std::move(moved));
}

}  // namespace

node_list::node_list(std::span<const node> nodes) {
    for (const node& node : nodes) nodes_.push_back(&node);
}

node& node_list::change(std::size_t number) {
    const auto [at, is_new] = changed_.try_emplace(number, *nodes_[number]);
    if (is_new) nodes_[number] = &at->second;
    return at->second;
}

node_list with_expected_pods(const cluster& cluster, const plan& plan) {
    node_list out(cluster.nodes);
    const std::unordered_map<std::string_view, std::size_t> positions = positions_of(cluster.nodes);
    for (std::size_t group = 0; group < plan.groups.size(); ++group) {
        for (const auto& [name, count] : plan.groups[group].on_nodes) {
            const auto at = positions.find(name);
            if (at == positions.end()) continue;
            std::vector<pod>& pods = out.change(at->second).pods;
            for (std::int64_t i = 0; i < count; ++i) pods.push_back(cluster.pending[group].pod);
        }
    }
    if (plan.defragmentation.applied) {
        for (const move& each : plan.defragmentation.moves) move_pod(each, out);
    }
    return out;
}

// In the order in which place_on_existing() placed the pods: another order may hold other devices.
node_list with_expected_devices(const planning& given, const plan& plan) {
    const cluster& cluster = given.of;
    node_list nodes = with_expected_pods(cluster, plan);
    const bool any = std::ranges::any_of(cluster.pending,
                                         [](const pod_group& group) { return group.pod.placement.claims != nullptr; });
    if (!any) return nodes;
    const std::unordered_map<std::string_view, std::size_t> positions = positions_of(cluster.nodes);
    device_matches matches;
    std::vector<bool> done(cluster.pending.size(), false);
    for (const pod_run& run : sequence_of(cluster, given.how, plan.order)) {
        const pod_claims* const claims = cluster.pending[run.group].pod.placement.claims.get();
        const std::map<std::string, std::int64_t>& on_nodes = plan.groups[run.group].on_nodes;
        if (claims == nullptr || done[run.group]) continue;
        done[run.group] = true;
        for (const auto& [name, count] : on_nodes) {
            if (const auto at = positions.find(name); at != positions.end())
                hold_devices_for(*claims, count, nodes.change(at->second).shape, matches);
        }
    }
    return nodes;
}

}  // namespace gputide::nodes
