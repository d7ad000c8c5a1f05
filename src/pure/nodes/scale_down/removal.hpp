// Simulates the removal of a node: every pod that moves must fit another node.  Moves accumulate from node to node, and
// a removable node accepts no more pods.  kubernetes/autoscaler simulator/cluster.go.
#pragma once

#include "nodes/packing.hpp"
#include "nodes/scale_down/drain.hpp"
#include "nodes/scale_down/utilization.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gputide::nodes {

struct move {
    std::uint32_t from = 0;  // index of the pod's node
    std::uint32_t pod = 0;   // index among that node's pods
    std::uint32_t to = 0;    // index of the destination
};

struct removal {
    stay why = stay::no_reason;  // no_reason: removable
    bool empty = false;          // no pod has to move
    block blocked = block::none;
    std::string pod;          // the pod that blocks, waits or does not fit
    std::vector<move> moves;  // its own pods, and those that an earlier removal had moved here

    bool may_go() const { return why == stay::no_reason; }
};

// Returns "RemovableEmpty", "Removable", "BlockedByPod:NotReplicated", "NoPlaceToMovePods", ...
std::string removal_name(const removal& removal);

class removal_simulation {
  public:
    // Borrows the nodes.  takes_pods: the possible destinations.
    removal_simulation(std::span<const node> nodes, const std::vector<bool>& takes_pods, const drain_rules& rules,
                       disruption_budgets budgets, std::int64_t now_ms);

    // Tries destinations in the order of the nodes.
    removal remove(std::uint32_t number);

  private:
    bool all_placed(const std::vector<move>& leaving, removal& out);

    std::span<const node> nodes_;
    std::vector<bool> takes_pods_;
    drain_rules rules_;
    disruption_budgets budgets_;
    std::int64_t now_ms_;
    bins bins_;
    std::vector<std::uint32_t> first_demand_;  // per node, for its pods
    std::vector<std::vector<move>> arrived_;   // per node, the pods moved there by earlier removals
};

}  // namespace gputide::nodes
