// What happens if a node goes: every pod that moves must fit another one.  Moves add up from node to node, and a node that may
// go takes no pods any more.  kubernetes/autoscaler simulator/cluster.go.
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
    std::uint32_t from = 0;  // position of the node that the pod runs on
    std::uint32_t pod = 0;   // of that node's
    std::uint32_t to = 0;    // position of the node
};

struct removal {
    stay why = stay::no_reason;  // no_reason: it may go
    bool empty = false;          // nothing has to move
    block blocked = block::none;
    std::string pod;          // that blocks, waits or finds no place
    std::vector<move> moves;  // its own pods, and those that an earlier removal had moved here

    bool may_go() const { return why == stay::no_reason; }
};

// "RemovableEmpty", "Removable", "BlockedByPod:NotReplicated", "NoPlaceToMovePods", ...
std::string removal_name(const removal& one);

class removal_simulation {
  public:
    // Borrows the nodes.  takes_pods: which of them pods may move to.
    removal_simulation(std::span<const node> nodes, const std::vector<bool>& takes_pods, const drain_rules& rules,
                       disruption_budgets budgets, std::int64_t now_ms);

    // Destinations are tried in the order of the nodes.
    removal remove(std::uint32_t number);

  private:
    bool all_placed(const std::vector<move>& leaving, removal& out);

    std::span<const node> nodes_;
    std::vector<bool> takes_pods_;
    drain_rules rules_;
    disruption_budgets budgets_;
    std::int64_t now_ms_;
    bins bins_;
    std::vector<std::uint32_t> first_demand_;  // of each node's pods
    std::vector<std::vector<move>> arrived_;   // what earlier removals moved to each node
};

}  // namespace gputide::nodes
