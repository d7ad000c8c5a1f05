// Decides whether pods may move, and simulates where to.
#include "nodes/scale_down/drain.hpp"

#include "base/saturate.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {

namespace {

constexpr std::string_view system_namespace = "kube-system";
constexpr std::int64_t system_pod_age_ms = 3'600'000;

bool is_replicated(const pod& pod, const options& how) {
    if (!pod.owner) return false;
    static constexpr std::array<std::string_view, 4> kinds{"ReplicaSet", "ReplicationController", "Job", "StatefulSet"};
    return !how.skip_custom_controller_pods || is_one_of(pod.owner->kind, kinds);
}

bool is_system(const pod& pod, const options& how) {
    return how.skip_system_pods && pod.name_space == system_namespace && pod.budgets.empty();
}

bool is_old(const pod& pod, std::int64_t now_ms) {
    return pod.created_ms && add_saturating(*pod.created_ms, system_pod_age_ms) < now_ms;
}

// Returns "NotReplicated", ...
std::string_view block_name(block why) {
    static constexpr std::array<std::string_view, 8> names{"",
                                                           "ControllerNotFound",
                                                           "MinReplicasReached",
                                                           "NotReplicated",
                                                           "UnmovableKubeSystemPod",
                                                           "NotSafeToEvictAnnotation",
                                                           "LocalStorageRequested",
                                                           "NotEnoughPdb"};
    return names[static_cast<std::size_t>(why)];
}

bool budget_allows(const pod& pod, const disruption_budgets& budgets) {
    return std::ranges::all_of(pod.budgets, [&](const std::string& name) {
        const auto found = budgets.find(name);
        return found == budgets.end() || found->second >= 1;
    });
}

}  // namespace

void change_budgets(disruption_budgets& budgets, const pod& pod, std::int64_t by) {
    for (const std::string& name : pod.budgets) {
        if (const auto found = budgets.find(name); found != budgets.end()) found->second += by;
    }
}

move_decision may_move(const pod& pod, std::int64_t now_ms, const options& how, const disruption_budgets& budgets) {
    const auto blocked = [](block why) { return move_decision{moving::blocked, why}; };
    if (pod.mirror || is_long_terminating(pod, now_ms)) return {moving::skipped};
    if (pod.owner && !pod.owner->found) return blocked(block::controller_not_found);
    if (pod.owner && pod.owner->replicas && *pod.owner->replicas < how.min_replica_count)
        return blocked(block::min_replicas_reached);
    if (pod.of_daemon_set()) return {moving::skipped};
    if (pod.safe_to_evict == "true" || pod.finished()) return {moving::movable};
    if (pod.safe_to_evict == "on-completion") return {moving::waits};
    if (!is_replicated(pod, how)) return blocked(block::not_replicated);
    if (is_system(pod, how))
        return is_old(pod, now_ms) ? move_decision{moving::movable} : blocked(block::unmovable_kube_system_pod);
    if (pod.safe_to_evict == "false") return blocked(block::not_safe_to_evict_annotation);
    if (pod.local_storage && how.skip_local_storage) return blocked(block::local_storage_requested);
    if (!budget_allows(pod, budgets)) return blocked(block::not_enough_pdb);
    return {moving::movable};
}

node_bins::node_bins(std::span<const node* const> nodes, pod_topology* about_pods, std::span<const pod_group> pending)
    : bins(about_pods), nodes_(nodes), about_pods_(about_pods) {
    auto demands = static_cast<std::uint32_t>(pending.size());
    for (const pod_group& group : pending) add_demand(group.pod);
    for (const node* const node : nodes_) {
        first_demand_.push_back(demands);
        demands += static_cast<std::uint32_t>(node->pods.size());
        for (const pod& each : node->pods) add_demand(each);
    }
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        add_bin(bins::add_kind(nodes_[i]->shape, nodes_[i]->name), taken_by(nodes_[i]->pods));
        count_pods_of(i, 1);
    }
}

std::uint32_t node_bins::place_on_first(std::uint32_t demand, const std::vector<bool>& takes_pods) {
    std::uint32_t node = next_with_capacity(demand, 0);
    while (node < size() && !(takes_pods[node] && place(demand, node, 1) == 1))
        node = next_with_capacity(demand, node + 1);
    return node;
}

void node_bins::count_pods_of(std::uint32_t node, std::int64_t count) {
    const std::vector<pod>& pods = nodes_[node]->pods;
    for (std::uint32_t i = 0; about_pods_ != nullptr && i < pods.size(); ++i) {
        if (!pods[i].finished()) count_moved({node, i, 0}, node, count);
    }
}

void node_bins::count_moved(const move& move, std::uint32_t node, std::int64_t count) {
    if (about_pods_ != nullptr) about_pods_->place(pod_kind_of(demand_of(move)), node, count);
}

removal_simulation::removal_simulation(std::vector<const node*> nodes, const std::vector<bool>& takes_pods,
                                       const options& how, disruption_budgets budgets, std::int64_t now_ms,
                                       std::optional<pod_topology> about_pods)
    : nodes_(std::move(nodes)),
      takes_pods_(takes_pods),
      how_(how),
      budgets_(std::move(budgets)),
      now_ms_(now_ms),
      about_pods_(std::move(about_pods)),
      bins_(nodes_, about_pods_ ? &*about_pods_ : nullptr),
      arrived_(nodes_.size()) {}

removal removal_simulation::remove(std::uint32_t number) {
    removal out;
    std::vector<move> leaving;
    const std::vector<pod>& pods = nodes_[number]->pods;
    for (std::uint32_t i = 0; i < pods.size(); ++i) {
        const move_decision decided = may_move(pods[i], now_ms_, how_, budgets_);
        if (decided.moving == moving::movable) leaving.push_back({number, i, 0});
        if (decided.moving == moving::waits) out.waits = true;
        if (decided.moving != moving::blocked) continue;
        out.why = stay::blocked_by_pod;
        out.blocked = decided.why;
        out.pod = full_name(pods[i]);
        return out;
    }
    const std::size_t own = leaving.size();
    leaving.insert(leaving.end(), arrived_[number].begin(), arrived_[number].end());
    out.empty = leaving.empty();
    const bool took_pods = takes_pods_[number];
    takes_pods_[number] = false;
    // The node stays as a domain without pods while its pods look for a place.
    count_all_on(number, -1);
    if (!all_placed(leaving, out)) {
        takes_pods_[number] = took_pods;
        count_all_on(number, 1);
        return out;
    }
    if (about_pods_) about_pods_->remove_node(number);
    arrived_[number].clear();
    for (const move& move : out.moves) arrived_[move.to].push_back(move);
    // Pods that were moved here are disrupted once, which has been counted.
    for (std::size_t i = 0; i < own; ++i) change_budgets(budgets_, pods[leaving[i].pod], -1);
    return out;
}

void removal_simulation::count_all_on(std::uint32_t number, std::int64_t count) {
    bins_.count_pods_of(number, count);
    for (const move& move : arrived_[number]) bins_.count_moved(move, number, count);
}

// Moves either all pods or none.
bool removal_simulation::all_placed(const std::vector<move>& leaving, removal& out) {
    for (const move& entry : leaving) {
        if (nodes_[entry.from]->pods[entry.pod].finished()) continue;
        const std::uint32_t to = bins_.place_on_first(bins_.demand_of(entry), takes_pods_);
        if (to < nodes_.size()) {
            out.moves.push_back({entry.from, entry.pod, to});
            continue;
        }
        for (const move& made : out.moves) bins_.take_back(bins_.demand_of(made), made.to, 1);
        out.moves.clear();
        out.why = stay::no_place_to_move;
        out.pod = full_name(nodes_[entry.from]->pods[entry.pod]);
        return false;
    }
    return true;
}

std::string removal_name(const removal& removal) {
    if (removal.may_go()) return removal.empty ? "RemovableEmpty" : "Removable";
    std::string out(stay_name(removal.why));
    if (removal.blocked != block::none) out += ":" + std::string(block_name(removal.blocked));
    return out;
}

}  // namespace gputide::nodes
