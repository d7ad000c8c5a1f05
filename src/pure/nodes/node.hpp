// A node, a pool, and the pool's node template.
#pragma once

#include "nodes/pod.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::nodes {

struct taint {
    std::string key;
    std::string value;
    std::string effect;  // NoSchedule, NoExecute, PreferNoSchedule

    friend bool operator==(const taint&, const taint&) = default;
};

enum class sharing_strategy : std::int32_t { none = 0, time_slicing = 1, mps = 2, mig_single = 3, mig_mixed = 4 };

struct mig_count {
    std::string profile;     // "1g.10gb"
    std::int64_t count = 0;  // instances on one GPU

    friend bool operator==(const mig_count&, const mig_count&) = default;
};

// Partitioning and sharing of a node's GPUs (NVIDIA/k8s-device-plugin, NVIDIA/mig-parted).
struct gpu_sharing {
    sharing_strategy strategy = sharing_strategy::none;
    std::int64_t replicas = 1;             // time slicing and MPS: clients of one GPU
    bool rename = false;                   // the shared resource is nvidia.com/gpu.shared
    std::vector<mig_count> profiles;       // MIG
    std::optional<std::int64_t> mig_gpus;  // mixed: number of GPUs that are partitioned; nothing: all

    friend bool operator==(const gpu_sharing&, const gpu_sharing&) = default;
};

struct gpu_info {
    std::string model;
    std::int64_t memory_bytes = 0;  // of one whole GPU; 0: unknown
    std::int64_t count = 0;
    std::string resource = std::string(nvidia_gpu_name);  // of one whole GPU
    gpu_sharing sharing;

    friend bool operator==(const gpu_info&, const gpu_info&) = default;
};

struct node_shape {
    text_map labels;
    std::vector<taint> taints;
    resource_list capacity;  // empty: equal to allocatable
    resource_list allocatable;
    resource_list daemon_requests;  // of a template: the resources of its DaemonSets, including `pods`
    std::optional<gpu_info> gpu;

    const resource_list& capacity_or_allocatable() const { return capacity.empty() ? allocatable : capacity; }
    friend bool operator==(const node_shape&, const node_shape&) = default;
};

struct node {
    std::string name;
    std::string pool;  // "": without a pool
    node_shape shape;
    bool ready = true;
    bool schedulable = true;  // not cordoned
    bool deleting = false;    // carries the taint ToBeDeletedByClusterAutoscaler, or has a deletionTimestamp
    bool suspended = false;
    bool keep = false;  // cluster-autoscaler.kubernetes.io/scale-down-disabled: "true"
    std::optional<std::int64_t> created_ms;
    std::optional<double> gpu_utilization_percent;  // measured
    std::vector<pod> pods;
};

struct pool {
    std::string id;
    std::string sku;
    std::string
        family;  // pools of one family share bounds (options.hpp), as the sizes of a Karpenter NodePool do; "": none
    std::int64_t size = 0;  // target size
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::optional<double> price_per_hour;  // of one node
    std::optional<std::int64_t> delay_ms;  // from the request until the node accepts pods
    std::optional<node_shape> shape;       // nothing: unknown template
    bool backed_off = false;               // reported by the host; the state has more details
    bool unhealthy = false;                // reported by the host
    bool exists = true;                    // false: it would have to be created
    bool all_or_zero = false;              // the pool has all of its nodes or none
};

// Returns a template's resources for pods.
resource_list free_of(const node_shape& shape);

// Returns how much one node counts towards a bound: its capacity, and 1 towards `nodes`, as in Karpenter's limits.
std::int64_t amount_of_node(const node_shape& shape, std::string_view resource_name);

}  // namespace gputide::nodes
