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

// Places fitting pods and records them in each group's result: on_existing, on_nodes, left.  By priority; within one,
// in packing order if pods are packed by GPU (so that a plan is stable), else in the input's order.
// rules: all kinds of pods, if any of them asks for anything of other pods; it gets the nodes and their pods.
void place_on_existing(const cluster& cluster, const options& how, const plan& known, pod_topology* rules,
                       std::vector<group_result>& groups);

// Returns the rules about pods with every kind of the cluster: those of the pending groups first, in their order.  Nothing:
// no pod has such a rule.
std::optional<pod_topology> topology_of(std::span<const pod_group> pending, std::span<const node> nodes);

// Tells whether pods may be placed on an existing node, as far as its taints allow.  A registered node that has not
// started is replaced by an upcoming one.
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

// Holds the devices that the claims of these pending pods get on those nodes.
void hold_expected_devices(const cluster& cluster, const options& how, const plan& plan, node_list& nodes);

// Returns the order in which a pool's nodes are packed.
packing_order order_for(const node_shape& shape, const options& how);

// Decides which pools grow, by how much, for which pods.  kubernetes/autoscaler
// core/scaleup/orchestrator/orchestrator.go.

// Fills in passes, groups and the pools' additions of a plan with classified nodes and pools, with pods packed in one order.
void scale_up_in_order(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before, plan& out);

// Does the same in the order that is asked for, or else in every order, and keeps the best.
void plan_scale_up(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before, plan& out);

// Decides which nodes are removable: now, later, or why not.  kubernetes/autoscaler core/scaledown/planner/planner.go.

// Fills in the nodes' results and the pools' removals of a plan with a finished scale-up; records since when nodes are
// unneeded.
void plan_scale_down(const cluster& cluster, const options& how, std::int64_t now_ms, state& before, plan& out);

}  // namespace gputide::nodes
