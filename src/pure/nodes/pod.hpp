// A pod's placement: its requests, the nodes it may run on, and what prevents moving it.
#pragma once

#include "nodes/resources.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputide::nodes {

using text_map = std::map<std::string, std::string>;

// Effect, key, value and operator as in Kubernetes; each may be empty.
struct toleration {
    std::string key;
    std::string op;  // "Equal" or "Exists"; "": Equal
    std::string value;
    std::string effect;

    friend bool operator==(const toleration&, const toleration&) = default;
};

struct requirement {
    std::string key;
    std::string op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt
    std::vector<std::string> values;

    friend bool operator==(const requirement&, const requirement&) = default;
};

// ANDed; terms are ORed.
struct affinity_term {
    std::vector<requirement> labels;
    std::vector<requirement> fields;  // metadata.name only

    friend bool operator==(const affinity_term&, const affinity_term&) = default;
};

struct host_port {
    std::int32_t port = 0;
    std::string protocol = "TCP";
    std::string address;  // "": every address of the node

    friend bool operator==(const host_port&, const host_port&) = default;
};

// Placement rules of a pod.
struct placement {
    resource_list requests;  // effective, without `pods`
    text_map node_selector;
    std::optional<std::vector<affinity_term>> node_affinity;  // required terms; present and empty matches nothing
    std::vector<toleration> tolerations;
    std::vector<std::string> gpu_models;    // any of these; empty: every model
    std::int64_t gpu_memory_min_bytes = 0;  // per requested unit
    std::vector<host_port> ports;
    bool spread = false;  // topology spread or pod (anti-)affinity, which no estimate here supports

    friend bool operator==(const placement&, const placement&) = default;
};

// The pod's controller, which recreates it elsewhere.
struct controller {
    std::string kind;  // ReplicaSet, Job, DaemonSet, ...
    std::string name;
    std::string uid;
    bool found = true;  // false: the pod's owner no longer exists
    std::optional<std::int64_t> replicas;
};

enum class phase : std::int32_t { pending = 0, running = 1, succeeded = 2, failed = 3, unknown = 4 };

struct pod {
    std::string name;
    std::string name_space;
    nodes::placement placement;
    text_map labels;
    std::optional<controller> owner;
    nodes::phase phase = phase::pending;
    std::int32_t priority = 0;
    std::optional<std::int64_t> created_ms;  // Unix
    std::optional<std::int64_t> deleted_ms;  // Unix; being deleted since then
    std::int64_t grace_ms = 30'000;          // terminationGracePeriodSeconds
    std::int64_t scale_up_delay_ms = 0;      // pod-scale-up-delay
    bool mirror = false;
    bool local_storage = false;        // an emptyDir or hostPath that safe-to-evict-local-volumes does not name
    std::string safe_to_evict;         // the annotation's value
    std::vector<std::string> budgets;  // PodDisruptionBudgets that cover it, by name

    bool of_daemon_set() const { return owner && owner->kind == "DaemonSet"; }
    bool finished() const { return phase == phase::succeeded || phase == phase::failed; }
};

// Returns "namespace/name", or the name only.
std::string full_name(const pod& pod);

// A deleted pod counts until this long after its grace period.
inline constexpr std::int64_t long_terminating_ms = 30'000;
bool is_long_terminating(const pod& pod, std::int64_t now_ms);

}  // namespace gputide::nodes
