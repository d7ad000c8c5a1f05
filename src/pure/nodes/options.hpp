// Options of a plan: cluster-autoscaler's flags under gputide's names, with the same defaults.
#pragma once

#include "nodes/estimate.hpp"
#include "nodes/expander.hpp"
#include "nodes/readiness.hpp"
#include "nodes/scale_down/drain.hpp"
#include "nodes/scale_down/eligibility.hpp"
#include "nodes/state.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputide::nodes {

// Bounds of the whole cluster, as --gpu-total, --cores-total and --memory-total, or of a family of pools.
struct resource_bounds {
    std::string resource;  // "nodes": nodes
    std::int64_t min = 0;
    std::optional<std::int64_t> max;
    std::string family;  // "": all nodes
};

// Prices of pods for the `price` expander, per hour.
struct pod_prices {
    double cpu_per_hour = 0.0;  // per core
    double memory_gib_per_hour = 0.0;
    double gpu_per_hour = 0.0;
};

struct options {
    bool strict =
        false;  // behaves exactly as cluster-autoscaler, bugs included: MIG slices do not make a node ready, order ca
    std::vector<expander> expanders = {expander::least_waste};
    std::vector<priority_rule> priorities;
    std::optional<nodes::pod_prices> pod_prices;
    std::optional<packing_order> order;  // nothing: the best of all orders; ca in strict
    std::int64_t max_nodes_total = 0;    // 0: no limit
    std::int64_t max_nodes_per_scale_up = 1000;
    std::int64_t max_passes = 100;  // 1: one option per plan, as in cluster-autoscaler without salvo-scale-up
    bool balance_similar = false;
    bool all_or_nothing = false;
    nodes::similarity similarity;
    std::vector<resource_bounds> bounds;
    std::map<std::string, double> prices;  // of one node per hour, by machine size: for pools without a price
    std::int32_t priority_cutoff = -10;    // expendable-pods-priority-cutoff
    bool wait_for_new_pods = true;         // delays a pass while pods are younger than 2 s, or 30 s with a GPU
    std::int64_t new_pod_delay_ms = 0;     // new-pod-scale-up-delay
    health_limits health;
    backoff_rules backoff;
    std::int64_t startup_ms = default_startup_ms;    // max-node-startup-time
    std::int64_t provision_ms = default_startup_ms;  // max-node-provision-time
    bool defragment = false;                         // the plan counts on moves that free nodes
    bool scale_down = true;
    eligibility_rules eligibility;
    timing_rules timing;
    nodes::parallelism parallelism;
    pause_rules pauses;
    drain_rules drain;
    std::int64_t recheck_ms = 5 * 60'000;     // unremovable-node-recheck-timeout
    std::vector<std::string> startup_taints;  // startup-taint: a node with one of these keys is not ready yet
    std::vector<std::string> status_taints;   // status-taint: left out of a pool's template
};

}  // namespace gputide::nodes
