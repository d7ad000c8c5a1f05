// Checks whether a pod may be moved off its node.  kubernetes/autoscaler simulator/drainability/rules/.
#pragma once

#include "nodes/pod.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gputide::nodes {

struct drain_rules {
    bool skip_system_pods = true;             // skip-nodes-with-system-pods
    bool skip_local_storage = true;           // skip-nodes-with-local-storage; AKS: false
    bool skip_custom_controller_pods = true;  // skip-nodes-with-custom-controller-pods
    std::int64_t min_replica_count = 0;       // min-replica-count
};

// Remaining disruptions of each PodDisruptionBudget, by name.
using disruption_budgets = std::map<std::string, std::int64_t>;

enum class moving : std::int32_t {
    skipped = 0,  // not counted: a mirror pod, one past its end, a DaemonSet's
    movable = 1,
    waits = 2,  // safe-to-evict "on-completion"
    blocked = 3,
};

enum class block : std::int32_t {
    none = 0,
    controller_not_found,
    min_replicas_reached,
    not_replicated,
    unmovable_kube_system_pod,
    not_safe_to_evict_annotation,
    local_storage_requested,
    not_enough_pdb,
};
std::string_view block_name(block why);  // "NotReplicated", ...

struct move_decision {
    nodes::moving moving = moving::movable;
    block why = block::none;
};

// Returns the first rule that applies, in this order: mirror, past its end, controller missing or too small, DaemonSet,
// safe-to-evict "true", finished, "on-completion", no controller (or one of another kind), kube-system without a budget
// (after an hour it may be moved at once), "false", local storage, an exhausted budget.
move_decision may_move(const pod& pod, std::int64_t now_ms, const drain_rules& rules,
                       const disruption_budgets& budgets);

}  // namespace gputide::nodes
