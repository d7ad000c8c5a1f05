// Computes a plan from pending pods, nodes and pools: nodes to add per pool, a reason for every pod without a place, and the
// removable nodes.  Pure: the time is an argument, and everything else that lasts is in the state.
#pragma once

#include "base/result.hpp"
#include "nodes/estimate.hpp"
#include "nodes/options.hpp"
#include "nodes/scale_down/drain.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::nodes {

// Pods that are not planned.
struct left_out {
    std::string
        why;  // "scheduling_gates:kueue.x-k8s.io/admission", "daemon_set", "below_priority_cutoff", "placeholder"
    std::int64_t pods = 0;
    std::string first;  // name of one of them
};

// Pods of which either all get a place, or none.
struct pod_gang {
    std::int64_t min_pods = 0;  // number of pods that must run; 0: all
    std::int64_t running = 0;
};

struct cluster {
    std::vector<pool> pools;  // ids must be unique
    std::vector<node> nodes;  // names must be unique
    std::vector<pod_group> pending;
    disruption_budgets budgets;
    std::vector<left_out> not_planned;
    std::map<std::string, pod_gang> gangs;  // of the pending pods, by name
};

// Results refer to pools by their index in the cluster.
inline constexpr std::uint32_t no_pool = std::numeric_limits<std::uint32_t>::max();

// Reasons why a pool was skipped, or could not grow.
enum class skip : std::int32_t {
    none = 0,
    backed_off,
    unhealthy,
    at_max,
    all_or_zero_above_cap,
    quota,
    no_template,
    cluster_full,
    capped,  // an all-or-zero pool with more nodes than the limit allows
};

struct skipped_pool {
    skip why = skip::none;
    std::string resources;               // with quota: the resources
    std::string quota = "cluster-wide";  // the family with this limit
};

// Returns "in backoff after failed scale-up", "max node group size reached", ...
std::string skip_text(const skipped_pool& pool);

// A pool that could have grown in a pass.
struct considered {
    std::uint32_t pool = no_pool;
    std::int64_t nodes = 0;
    std::int64_t pods = 0;
    bool survived = false;  // the chain of expanders kept it
};

struct increase {
    std::uint32_t pool = no_pool;
    std::int64_t from = 0;
    std::int64_t to = 0;
};

struct pass {
    std::uint32_t pool = no_pool;  // of the chosen option
    std::vector<considered> options;
    std::vector<increase> increases;               // several if similar pools share the scale-up
    std::vector<placed_group> placed;              // pods on the new nodes
    std::vector<std::vector<placed_group>> nodes;  // the placed pods per node
};

enum class waits_for : std::int32_t { nothing = 0, priority, delay, daemon_set, unmodeled, gang, device_error };

struct group_result {
    std::int64_t on_existing = 0;  // pods that fit existing or upcoming nodes
    std::int64_t on_new = 0;
    std::int64_t left = 0;
    waits_for held = waits_for::nothing;                  // the group requests no node (yet)
    bool undecided = false;                               // whether the devices of some node suffice
    std::map<std::string, std::vector<reason>> rejected;  // by pool: why the template does not fit
    std::map<std::string, std::int64_t> on_nodes;         // by node: pods that fit
};

enum class verdict_of_pass : std::int32_t { done = 0, too_new, unhealthy, nothing_pending };

// States of nodes and pools: ready with their GPUs or not, upcoming, unhealthy.
// kubernetes/autoscaler clusterstate/clusterstate.go, processors/customresources/gpu_processor.go.
enum class node_class : std::int32_t { ready = 0, deleted = 1, suspended = 2, not_started = 3, unready = 4 };

// Returns the class of a node. not_started: not ready, and younger than the startup time.
node_class class_of(const node& node, std::int64_t now_ms, const options& how);

// The nodes of a pool by class.
class pool_counts {
  public:
    std::int64_t& operator[](node_class kind) { return counts_[static_cast<std::size_t>(kind)]; }
    std::int64_t operator[](node_class kind) const { return counts_[static_cast<std::size_t>(kind)]; }

  private:
    std::array<std::int64_t, 5> counts_{};
};

// Returns target − (ready + unready + suspended), at least 0: the number of nodes that are starting or not registered.
std::int64_t upcoming(std::int64_t target, const pool_counts& counts);

// Tells whether a pool is healthy.  Example: 9 of 20 unready is 45 %, which is not above the limit: healthy.
bool is_healthy(std::int64_t unready, std::int64_t total, const options& how);

struct node_result {
    std::uint32_t pool = no_pool;
    node_class state = node_class::ready;
    stay why = stay::no_reason;  // no_reason: removable now
    std::optional<nodes::utilization> utilization;
    std::optional<nodes::removal> removal;  // if it was simulated
    std::optional<std::int64_t> unneeded_since_ms;
    std::optional<std::int64_t> removable_at_ms;
    std::optional<double> saves_per_hour;  // if the node is removable, now or later
};

// Tells whether the node can be removed now.
inline bool goes_now(const node_result& result) { return result.removal && result.why == stay::no_reason; }

struct pool_result {
    std::int64_t add = 0;
    std::int64_t remove = 0;
    std::int64_t upcoming = 0;
    pool_counts counts;
    skipped_pool skipped;
    resource_list offers;  // one node's resources for pods
};

// A new node that is not needed after the moves.
struct saved_node {
    std::size_t pass = 0;
    std::size_t number = 0;  // in the pass
    std::uint32_t pool = no_pool;
};

// A pod that has a place on a node after the moves.
struct place_after_moves {
    std::uint32_t group = 0;
    std::string node;
    bool instead_of_new = false;  // else it would be left
};

// Moves of running pods that save new nodes.
struct defragmentation {
    bool applied = false;     // the plan counts on the moves
    std::vector<move> moves;  // in their order: each fits after those before it
    std::vector<place_after_moves> places;
    std::vector<saved_node> saved;
    double saved_cost_per_hour = 0.0;
    bool prices_known = true;  // of every saved node
};

// The part of a plan that differs between packing orders and choices of gangs: each attempt has its own.
struct scale_up_plan {
    verdict_of_pass scale_up = verdict_of_pass::done;
    std::vector<pass> passes;
    std::vector<group_result> groups;    // in the order of the pending groups
    std::vector<pool_result> pools;      // in the order of the cluster's pools
    std::optional<packing_order> order;  // order in which the pods were packed; absent: the usual order of each pool
    std::map<std::string, std::int64_t> gangs_left;  // gangs without places, with the pods that would have had one
};

struct plan : scale_up_plan {
    std::vector<node_result> nodes;  // in the order of the cluster's nodes
    std::optional<std::int64_t> scale_down_paused_until_ms;
    double added_cost_per_hour = 0.0;
    double saved_cost_per_hour = 0.0;
    bool prices_known = true;  // of every pool that changes
    nodes::defragmentation defragmentation;
};

// The state that a plan passes to the next one.

struct backoff_entry {
    std::int64_t duration_ms = 0;
    std::int64_t until_ms = 0;
    std::int64_t failed_ms = 0;  // time of the last failure

    friend bool operator==(const backoff_entry&, const backoff_entry&) = default;
};

using backoffs = std::map<std::string, backoff_entry>;

// Records a failure.  The first failure waits backoff_initial_ms.  A failure after the last wait has ended waits twice as long, up to
// backoff_max_ms.  A failure during a wait restarts the same wait, because concurrent scale-ups fail together.
void note_failure(backoffs& all, const std::string& pool, std::int64_t now_ms, const options& how);

// Tells whether the backoff has not ended (until ≥ now).
bool is_backed_off(const backoffs& all, const std::string& pool, std::int64_t now_ms);

// Removes entries with a last failure more than backoff_reset_ms ago.
void forget_old(backoffs& all, std::int64_t now_ms, const options& how);

// An open scale-up request.
struct scale_up_request {
    std::int64_t nodes = 0;
    std::int64_t time_ms = 0;

    friend bool operator==(const scale_up_request&, const scale_up_request&) = default;
};

struct state {
    std::int64_t planned_ms = 0;                            // time of the last plan; 0: no plan yet
    std::map<std::string, std::int64_t> unneeded_since_ms;  // by node
    // By node: not simulated again until unremovable-node-recheck-timeout.
    std::map<std::string, std::int64_t> unremovable_since_ms;
    std::map<std::string, scale_up_request> requests;  // by pool
    backoffs backoff;                                  // by pool
    past_actions past;
};

// An action of the host, or a failure that it reports.
enum class event_kind : std::int32_t { added = 1, failed = 2, removed = 3 };

// Records an event. added: a request for nodes of that pool is open. failed: the request has ended, the pool is in backoff.
// removed: nodes were deleted, or their deletion failed (nodes 0).
void record(state& state, event_kind kind, const std::string& pool, std::int64_t nodes, std::int64_t now_ms,
            const options& how);

// Serializes the state between two plans.
std::string save_state(const state& state);

// Loads a saved state completely or not at all; "" is a new state.  Rejects any text that save_state did not write with
// E_STATE.
result<state> load_state(std::string_view text);

// Computes the plan and updates `before` to the state for the next plan.
plan make_plan(const cluster& cluster, const options& options, std::int64_t now_ms, state& before);

// Returns a lower bound of the number of new nodes for a plan's pods, in any packing order.
std::int64_t min_new_nodes(const cluster& cluster, const scale_up_plan& plan);

}  // namespace gputide::nodes
