// Options of a plan: cluster-autoscaler's flags under gputide's names, with the same defaults.
#pragma once

#include "base/pattern/pattern.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputide::nodes {

enum class expander : std::int32_t {
    random = 0,
    most_pods = 1,
    least_nodes = 2,
    least_waste = 3,
    priority = 4,
    price = 5,
    gpu_waste = 6,
    least_cost = 7,
    fastest = 8,
};

struct priority_rule {
    std::int64_t number = 0;
    std::vector<pattern> pools;  // patterns for pool ids
};

// ca: by cpu and memory, as in cluster-autoscaler; gpu: first by the largest fraction of a node's GPUs; largest: first by the
// largest fraction of any resource.
enum class packing_order : std::int32_t { ca = 0, gpu = 1, largest = 2 };

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
    // Behaves exactly as cluster-autoscaler, bugs included: MIG slices do not make a node ready, order ca.
    bool strict = false;

    // ---- scale-up
    std::vector<expander> expanders = {expander::least_waste};
    std::vector<priority_rule> priorities;
    std::optional<nodes::pod_prices> pod_prices;
    std::optional<packing_order> order;  // nothing: the best of all orders; ca in strict
    std::int64_t max_nodes_total = 0;    // 0: no limit
    std::int64_t max_nodes_per_scale_up = 1000;
    std::int64_t max_passes = 100;  // 1: one option per plan, as in cluster-autoscaler without salvo-scale-up
    bool all_or_nothing = false;
    std::vector<resource_bounds> bounds;
    std::map<std::string, double> prices;  // of one node per hour, by machine size: for pools without a price
    std::int32_t priority_cutoff = -10;    // expendable-pods-priority-cutoff
    bool wait_for_new_pods = true;         // delays a pass while pods are younger than 2 s, or 30 s with a GPU
    std::int64_t new_pod_delay_ms = 0;     // new-pod-scale-up-delay
    bool defragment = false;               // the plan counts on moves that free nodes

    // ---- similar pools, which share a scale-up
    bool balance_similar = false;
    double memory_difference_ratio = 0.015;
    double allocatable_difference_ratio = 0.05;
    double free_difference_ratio = 0.05;
    bool azure = true;                        // compare AKS' labels; pools of one agent pool are always similar
    std::vector<std::string> ignored_labels;  // in addition to the built-in ones

    // ---- states of nodes and pools
    std::int64_t ok_unready = 3;                    // ok-total-unready-count
    double max_unready_percent = 45.0;              // max-total-unready-percentage
    std::int64_t backoff_initial_ms = 5 * 60'000;   // initial-node-group-backoff-duration
    std::int64_t backoff_max_ms = 30 * 60'000;      // max-node-group-backoff-duration
    std::int64_t backoff_reset_ms = 3 * 3'600'000;  // node-group-backoff-reset-timeout
    std::int64_t startup_ms = 15 * 60'000;          // max-node-startup-time
    std::int64_t provision_ms = 15 * 60'000;        // max-node-provision-time
    std::vector<std::string> startup_taints;        // startup-taint: a node with one of these keys is not ready yet
    std::vector<std::string> status_taints;         // status-taint: left out of a pool's template

    // ---- scale-down
    bool scale_down = true;
    bool ignore_daemon_sets = false;         // in the utilization
    bool ignore_mirror_pods = false;         // in the utilization
    double utilization_threshold = 0.5;      // scale-down-utilization-threshold
    double gpu_utilization_threshold = 0.5;  // scale-down-gpu-utilization-threshold
    std::optional<double> busy_gpu_percent;  // a node with a higher measured value is not a candidate
    bool unready_enabled = true;
    std::int64_t unneeded_ms = 10 * 60'000;            // scale-down-unneeded-time
    std::int64_t unready_ms = 20 * 60'000;             // scale-down-unready-time
    std::int64_t max_removals = 10;                    // max-scale-down-parallelism
    std::int64_t max_drains = 1;                       // max-drain-parallelism
    std::int64_t pause_after_add_ms = 10 * 60'000;     // scale-down-delay-after-add
    std::int64_t pause_after_failure_ms = 3 * 60'000;  // scale-down-delay-after-failure
    std::int64_t pause_after_delete_ms = 0;            // scale-down-delay-after-delete
    bool skip_system_pods = true;                      // skip-nodes-with-system-pods
    bool skip_local_storage = true;                    // skip-nodes-with-local-storage; AKS: false
    bool skip_custom_controller_pods = true;           // skip-nodes-with-custom-controller-pods
    std::int64_t min_replica_count = 0;                // min-replica-count
    std::int64_t recheck_ms = 5 * 60'000;              // unremovable-node-recheck-timeout
};

}  // namespace gputide::nodes
