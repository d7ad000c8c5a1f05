#include "nodes/scale_down/drain.hpp"

#include "base/saturate.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::string_view system_namespace = "kube-system";
constexpr std::int64_t system_pod_age_ms = 3'600'000;

bool is_replicated(const pod& pod, const drain_rules& rules) {
    if (!pod.owner) return false;
    static constexpr std::array<std::string_view, 4> kinds{"ReplicaSet", "ReplicationController", "Job", "StatefulSet"};
    return !rules.skip_custom_controller_pods || std::find(kinds.begin(), kinds.end(), pod.owner->kind) != kinds.end();
}

bool is_system(const pod& pod, const drain_rules& rules) {
    return rules.skip_system_pods && pod.name_space == system_namespace && pod.budgets.empty();
}

bool is_old(const pod& pod, std::int64_t now_ms) {
    return pod.created_ms && add_saturating(*pod.created_ms, system_pod_age_ms) < now_ms;
}

bool budget_allows(const pod& pod, const disruption_budgets& budgets) {
    return std::all_of(pod.budgets.begin(), pod.budgets.end(), [&](const std::string& name) {
        const auto found = budgets.find(name);
        return found == budgets.end() || found->second >= 1;
    });
}

}  // namespace

move_decision may_move(const pod& pod, std::int64_t now_ms, const drain_rules& rules,
                       const disruption_budgets& budgets) {
    const auto blocked = [](block why) { return move_decision{moving::blocked, why}; };
    if (pod.mirror || is_long_terminating(pod, now_ms)) return {moving::skipped};
    if (pod.owner && !pod.owner->found) return blocked(block::controller_not_found);
    if (pod.owner && pod.owner->replicas && *pod.owner->replicas < rules.min_replica_count)
        return blocked(block::min_replicas_reached);
    if (pod.of_daemon_set()) return {moving::skipped};
    if (pod.safe_to_evict == "true" || pod.finished()) return {moving::movable};
    if (pod.safe_to_evict == "on-completion") return {moving::waits};
    if (!is_replicated(pod, rules)) return blocked(block::not_replicated);
    if (is_system(pod, rules))
        return is_old(pod, now_ms) ? move_decision{moving::movable} : blocked(block::unmovable_kube_system_pod);
    if (pod.safe_to_evict == "false") return blocked(block::not_safe_to_evict_annotation);
    if (pod.local_storage && rules.skip_local_storage) return blocked(block::local_storage_requested);
    if (!budget_allows(pod, budgets)) return blocked(block::not_enough_pdb);
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
