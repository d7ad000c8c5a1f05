// Decides whether the pods of a node may move, and simulates where to.
#pragma once

#include "nodes/estimate.hpp"
#include "nodes/packing.hpp"
#include "nodes/scale_down/eligibility.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::nodes {

// Remaining disruptions of each PodDisruptionBudget, by name.
using disruption_budgets = std::map<std::string, std::int64_t>;

// Adds to what the budgets of a pod still allow: -1 when it moves, 1 when its move is undone.
void change_budgets(disruption_budgets& budgets, const pod& pod, std::int64_t by);

enum class moving : std::int32_t {
    skipped = 0,  // not counted: a mirror pod, a pod past its end, a pod of a DaemonSet
    movable = 1,
    waits = 2,  // it has safe-to-evict "on-completion"
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

struct move_decision {
    nodes::moving moving = moving::movable;
    block why = block::none;
};

// Returns the first rule that applies, in this order: mirror, past its end, controller missing or too small, DaemonSet,
// safe-to-evict "true", finished, "on-completion", no controller (or one of another kind), kube-system without a budget (may
// move after an hour), "false", local storage, an exhausted budget.
move_decision may_move(const pod& pod, std::int64_t now_ms, const options& how, const disruption_budgets& budgets);

// Simulates the removal of nodes: every pod that moves must fit another node.  Moves accumulate over the nodes, and a
// removable node accepts no more pods. kubernetes/autoscaler simulator/cluster.go.

struct move {
    std::uint32_t from = 0;  // index of the pod's node
    std::uint32_t pod = 0;   // index among that node's pods
    std::uint32_t to = 0;    // index of the destination
};

struct removal {
    stay why = stay::no_reason;  // no_reason: removable
    bool empty = false;          // no pod has to move
    bool waits = false;          // a pod with safe-to-evict "on-completion" must end first
    block blocked = block::none;
    std::string pod;          // the pod that blocks, is waited for or does not fit
    std::vector<move> moves;  // of its own pods, and of pods that an earlier removal had moved here

    bool may_go() const { return why == stay::no_reason; }
};

// Returns "RemovableEmpty", "Removable", "BlockedByPod:NotReplicated", "NoPlaceToMovePods", ...
std::string removal_name(const removal& removal);

// Existing nodes as bins, with a demand for each of their pods.
class node_bins : public bins {
  public:
    // Borrows all. about_pods: every kind of these pods, if one has a rule; nullptr: none.  pending: their groups are the first
    // demands.
    node_bins(std::span<const node* const> nodes, pod_topology* about_pods, std::span<const pod_group> pending = {});

    std::uint32_t demand_of(const move& move) const { return first_demand_[move.from] + move.pod; }
    // Places a pod on the first node that takes pods and that it fits; returns size() if there is none.
    std::uint32_t place_on_first(std::uint32_t demand, const std::vector<bool>& takes_pods);
    // Adds a node's own pods, or a pod that moved to a node, to the rules about pods; a negative count removes them.
    void count_pods_of(std::uint32_t node, std::int64_t count);
    void count_moved(const move& move, std::uint32_t node, std::int64_t count);

  private:
    std::span<const node* const> nodes_;
    pod_topology* about_pods_;
    std::vector<std::uint32_t> first_demand_;  // per node, for its pods
};

class removal_simulation {
  public:
    // Borrows nodes and options. takes_pods: the possible destinations. about_pods: every kind of these pods, if one has a rule.
    removal_simulation(std::vector<const node*> nodes, const std::vector<bool>& takes_pods, const options& how,
                       disruption_budgets budgets, std::int64_t now_ms,
                       std::optional<pod_topology> about_pods = std::nullopt);
    removal_simulation(const removal_simulation&) = delete;
    removal_simulation& operator=(const removal_simulation&) = delete;

    // Simulates the removal of a node; tries destinations in the order of the nodes.
    removal remove(std::uint32_t number);

  private:
    // Adds a node's own pods, and the pods moved to it, to the rules about pods; a negative count removes them.
    void count_all_on(std::uint32_t number, std::int64_t count);
    bool all_placed(const std::vector<move>& leaving, removal& out);

    std::vector<const node*> nodes_;
    std::vector<bool> takes_pods_;
    const options& how_;
    disruption_budgets budgets_;
    std::int64_t now_ms_;
    std::optional<pod_topology> about_pods_;
    node_bins bins_;
    std::vector<std::vector<move>> arrived_;  // per node, the pods moved there by earlier removals
};

}  // namespace gputide::nodes
