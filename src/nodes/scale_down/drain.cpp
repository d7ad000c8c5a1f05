#include "nodes/scale_down/drain.hpp"

#include "base/saturate.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::string_view system_namespace = "kube-system";
constexpr std::int64_t system_pod_age_ms = 3'600'000;

bool is_replicated(const pod& one, const drain_rules& rules) {
    if (!one.owner) return false;
    static constexpr std::array<std::string_view, 4> kinds{"ReplicaSet", "ReplicationController", "Job", "StatefulSet"};
    return !rules.skip_custom_controller_pods || std::find(kinds.begin(), kinds.end(), one.owner->kind) != kinds.end();
}

bool is_system(const pod& one, const drain_rules& rules) {
    return rules.skip_system_pods && one.name_space == system_namespace && one.budgets.empty();
}

bool is_old(const pod& one, std::int64_t now_ms) {
    return one.created_ms && add_saturating(*one.created_ms, system_pod_age_ms) < now_ms;
}

bool budget_allows(const pod& one, const disruption_budgets& budgets) {
    return std::all_of(one.budgets.begin(), one.budgets.end(), [&](const std::string& name) {
        const auto found = budgets.find(name);
        return found == budgets.end() || found->second >= 1;
    });
}

}  // namespace

move_decision may_move(const pod& one, std::int64_t now_ms, const drain_rules& rules,
                       const disruption_budgets& budgets) {
    const auto blocked = [](block why) { return move_decision{moving::blocked, why}; };
    if (one.mirror || is_long_terminating(one, now_ms)) return {moving::skipped};
    if (one.owner && !one.owner->found) return blocked(block::controller_not_found);
    if (one.owner && one.owner->replicas && *one.owner->replicas < rules.min_replica_count)
        return blocked(block::min_replicas_reached);
    if (one.of_daemon_set()) return {moving::skipped};
    if (one.safe_to_evict == "true" || one.finished()) return {moving::movable};
    if (one.safe_to_evict == "on-completion") return {moving::waits};
    if (!is_replicated(one, rules)) return blocked(block::not_replicated);
    if (is_system(one, rules))
        return is_old(one, now_ms) ? move_decision{moving::movable} : blocked(block::unmovable_kube_system_pod);
    if (one.safe_to_evict == "false") return blocked(block::not_safe_to_evict_annotation);
    if (one.local_storage && rules.skip_local_storage) return blocked(block::local_storage_requested);
    if (!budget_allows(one, budgets)) return blocked(block::not_enough_pdb);
    return {moving::movable};
}

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

}  // namespace gputide::nodes
