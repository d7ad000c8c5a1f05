// The passes of a plan, in their order.
#pragma once

#include "nodes/affinity.hpp"
#include "nodes/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace gputide::nodes {

// The arguments of make_plan(), which every pass borrows.
struct planning {
    const cluster& of;
    const options& how;
    std::int64_t now_ms;
    state& before;
};

// Places pods on existing nodes and records them in each group's result: on_existing, on_nodes, left.  By priority; within a
// priority in packing order if pods are packed by GPU (so that a plan is stable), else in the order of the input. known: the
// classified nodes. rules: all kinds of pods, if one of them has rules about other pods; the nodes and their pods are added to it.
void place_on_existing(const planning& given, const plan& known, pod_topology* rules, scale_up_plan& out);

// Returns the rules about pods with all kinds of pods of the cluster: first those of the pending groups, in their order.
// Nothing: no pod has such a rule.
std::optional<pod_topology> topology_of(std::span<const pod_group> pending, std::span<const node> nodes);

// Tells whether the taints of an existing node let pods be placed on it.  A registered node that has not started is
// represented by an upcoming node.
bool is_simulated(const cluster& cluster, const plan& plan, std::size_t node);

// The nodes of a cluster, as a plan expects them.  Only those that it changes are copies: pods take much memory.
class node_list {
  public:
    explicit node_list(std::span<const node> nodes);
    std::size_t size() const { return nodes_.size(); }
    const node& operator[](std::size_t number) const { return *nodes_[number]; }
    const std::vector<const node*>& all() const { return nodes_; }
    node& change(std::size_t number);

  private:
    std::vector<const node*> nodes_;
    std::map<std::size_t, node> changed_;
};

// Returns the existing nodes, with the pending pods that fit added to their own, after the moves that the plan counts on.
node_list with_expected_pods(const cluster& cluster, const plan& plan);

// Returns the same nodes, with the devices held that the claims of these pending pods get.
node_list with_expected_devices(const planning& given, const plan& plan);

// Returns the packing order for nodes of a pool. chosen: that of the plan.
packing_order order_for(const node_shape& shape, const options& how, std::optional<packing_order> chosen);

// Decides which pools grow, by how much, for which pods.  kubernetes/autoscaler
// core/scaleup/orchestrator/orchestrator.go.

// Fills in passes, groups and the pools' additions, packing pods in the order of `out`. known: the plan with classified nodes and
// pools.
void scale_up_in_order(const planning& given, const plan& known, scale_up_plan& out);

// Does the same in the configured order; without one in every order, and keeps the best plan.  Gangs are added by priority,
// then in the order of their first pods.  A gang gets no place if with it this or an earlier gang would lack some of its places,
// or its minimum.  Fills in plan::gangs_left, too.
void plan_scale_up(const planning& given, plan& out);

// Moves of running pods that free enough of a node for pods that would otherwise need a new one.

// Fills in plan::defragmentation of a plan with a finished scale-up: for each new node with GPUs, and each pod with GPUs that is
// left, it looks for places on existing nodes.  Pods move under the rules of scale-down, a pod with claims of devices
// never; nodes that can be removed now take no part.
void find_defragmentation(const planning& given, plan& out);

// Lets the plan count on the moves: it has their places, and no longer the nodes that they save.
void apply_defragmentation(plan& out);

// Decides which nodes can be removed now or later, and why others stay. kubernetes/autoscaler
// core/scaledown/planner/planner.go.

// Fills in the nodes' results and the pools' removals of a plan with a finished scale-up; records since when nodes have been
// unneeded.
void plan_scale_down(const planning& given, plan& out);

}  // namespace gputide::nodes
