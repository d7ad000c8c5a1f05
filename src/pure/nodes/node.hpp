// Pods, nodes and pools of a cluster, and amounts by resource name: cpu in millicores, memory in bytes, everything else as a
// count (`nvidia.com/gpu`, `pods`).  Sums saturate at the limits of int64.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::nodes {

inline constexpr std::string_view cpu_name = "cpu";
inline constexpr std::string_view memory_name = "memory";
inline constexpr std::string_view pods_name = "pods";
inline constexpr std::string_view nvidia_gpu_name = "nvidia.com/gpu";
inline constexpr std::string_view nvidia_prefix = "nvidia.com/";
inline constexpr std::string_view hostname_key = "kubernetes.io/hostname";
inline constexpr std::string_view size_key = "node.kubernetes.io/instance-type";

struct resource {
    std::string name;
    std::int64_t amount = 0;

    friend bool operator==(const resource&, const resource&) = default;
};

// Sorted by name, each name once.
class resource_list {
  public:
    std::int64_t of(std::string_view name) const;  // 0 if it is not listed
    bool lists(std::string_view name) const { return find(name) != nullptr; }
    void set(std::string_view name, std::int64_t amount);
    void add(std::string_view name, std::int64_t amount);
    void add(const resource_list& more);
    void subtract(const resource_list& less);         // an unlisted resource counts as 0 and is added
    void raise_to(const resource_list& min_amounts);  // the larger of both for each name

    bool empty() const { return sorted_.empty(); }
    std::size_t size() const { return sorted_.size(); }
    auto begin() const { return sorted_.begin(); }
    auto end() const { return sorted_.end(); }
    friend bool operator==(const resource_list&, const resource_list&) = default;

  private:
    const resource* find(std::string_view name) const;

    std::vector<resource> sorted_;
};

// Tells whether a resource is a GPU or a part of one: any resource of nvidia.com/, and the known ones (is_known_gpu).  strict: only the
// latter, as cluster-autoscaler; MIG slices are not among them.
bool is_gpu(std::string_view name, bool strict = false);

// Returns the sum of all GPU resources.
std::int64_t gpu_count(const resource_list& amounts);

// Returns an amount with its unit: "4 cores", "250m cpu", "320 GiB memory", "8 nvidia.com/gpu".
std::string amount_text(std::string_view name, std::int64_t amount);

using text_map = std::map<std::string, std::string, std::less<>>;

const std::string* find_text(const text_map& all, std::string_view name);  // nullptr: none
std::string text_of(const text_map& all, std::string_view name);           // "": none
bool is_one_of(std::string_view text, std::span<const std::string_view> list);

struct device_set;  // nodes/dra/device.hpp
struct pod_claims;

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

// Requirements are ANDed; the terms of a list are ORed.
struct affinity_term {
    std::vector<requirement> labels;
    std::vector<requirement> fields;  // metadata.name only

    friend bool operator==(const affinity_term&, const affinity_term&) = default;
};

// The pods that a rule about pods selects, and the label that groups nodes into domains.
struct pod_term {
    std::vector<requirement> selector;    // empty: every pod
    bool selects_nothing = false;         // true: the term has no selector
    std::vector<std::string> namespaces;  // empty: every namespace
    std::string key;

    friend bool operator==(const pod_term&, const pod_term&) = default;
};

// A topology spread constraint with DoNotSchedule.
struct spread_rule {
    pod_term pods;
    std::int64_t max_skew = 1;
    std::int64_t min_domains = 1;
    bool honor_node_affinity = true;
    bool honor_taints = false;

    friend bool operator==(const spread_rule&, const spread_rule&) = default;
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
    std::optional<std::vector<affinity_term>> node_affinity;  // required terms; an empty list matches no node
    std::vector<toleration> tolerations;
    std::vector<std::string> gpu_models;    // the node must have one of these; empty: any model
    std::int64_t gpu_memory_min_bytes = 0;  // per requested unit
    std::vector<host_port> ports;
    std::vector<std::string> volume_claims;                // PersistentVolumeClaims in the pod's namespace
    std::vector<std::vector<affinity_term>> volume_terms;  // of its volumes: of each list a term must hold
    std::vector<pod_term> pod_affinity;                    // required
    std::vector<pod_term> pod_anti_affinity;               // required
    std::vector<spread_rule> spreads;
    std::vector<std::string> unmodeled;        // rules that a plan does not model, each with its consequence
    std::shared_ptr<const pod_claims> claims;  // nullptr: no devices; equal claims share an object

    friend bool operator==(const placement&, const placement&) = default;
};

// The pod's controller, which recreates the pod elsewhere.
struct controller {
    std::string kind;  // ReplicaSet, Job, DaemonSet, ...
    std::string name;
    std::string uid;
    bool found = true;  // false: the controller no longer exists
    std::optional<std::int64_t> replicas;
};

// A member of spec.resourceClaims.
struct claim_reference {
    std::string name;
    std::string claim;          // the ResourceClaim; "": not created yet
    std::string from_template;  // the ResourceClaimTemplate; "": the claim has a name
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
    std::optional<std::int64_t> deleted_ms;  // Unix; time at which its deletion started
    std::int64_t grace_ms = 30'000;          // terminationGracePeriodSeconds
    std::int64_t scale_up_delay_ms = 0;      // pod-scale-up-delay
    bool mirror = false;
    bool local_storage = false;        // it has an emptyDir or hostPath that safe-to-evict-local-volumes does not name
    std::string safe_to_evict;         // the annotation's value
    std::vector<std::string> budgets;  // PodDisruptionBudgets that cover it, by name
    std::vector<claim_reference> claims;
    std::vector<std::uint32_t> devices;  // indexes of the node's devices that its claims hold
    std::string gang;                    // gang of the pod; "": none

    bool of_daemon_set() const { return owner && owner->kind == "DaemonSet"; }
    bool goes_with_node() const { return of_daemon_set() || mirror; }  // it keeps no node and moves to none
    bool finished() const { return phase == phase::succeeded || phase == phase::failed; }
};

// Returns "namespace/name", or the name only.
std::string full_name(const pod& pod);

// Tells whether a deleted pod no longer counts: 30 s after its grace period.
bool is_long_terminating(const pod& pod, std::int64_t now_ms);

// A node, a pool, and the pool's node template.

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
    std::optional<std::int64_t> mig_gpus;  // mixed: number of partitioned GPUs; nothing: all

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
    resource_list daemon_requests;  // of a template: the requests of its DaemonSets, including `pods`
    std::optional<gpu_info> gpu;
    std::shared_ptr<const device_set> devices;  // of its ResourceSlices; nullptr: none
    std::vector<bool> devices_held;             // by allocated claims

    const resource_list& capacity_or_allocatable() const { return capacity.empty() ? allocatable : capacity; }
    friend bool operator==(const node_shape&, const node_shape&) = default;
};

struct node {
    std::string name;
    std::string pool;  // "": without a pool
    node_shape shape;
    bool ready = true;
    bool schedulable = true;  // not cordoned
    bool deleting = false;    // has the taint ToBeDeletedByClusterAutoscaler, or a deletionTimestamp
    bool suspended = false;
    bool keep = false;  // cluster-autoscaler.kubernetes.io/scale-down-disabled: "true"
    bool held = false;  // a placeholder pod of an earlier plan keeps the node
    std::optional<std::int64_t> created_ms;
    std::optional<double> gpu_utilization_percent;  // measured
    std::vector<pod> pods;
};

struct pool {
    std::string id;
    std::string sku;
    std::string
        family;  // pools of one family share bounds (options.hpp), such as the sizes of a Karpenter NodePool; "": none
    std::int64_t size = 0;  // target size
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::optional<double> price_per_hour;  // of one node
    std::optional<std::int64_t> delay_ms;  // time from the request until the node accepts pods
    std::optional<node_shape> shape;       // nothing: unknown template
    bool backed_off = false;               // reported by the host; the state has more details
    bool unhealthy = false;                // reported by the host
    bool exists = true;                    // false: the pool would have to be created
    bool all_or_zero = false;              // the pool has either all of its nodes or none
};

// Tells whether a node has a provider's label of GPU nodes: of AKS (also the older one), GKE or EKS.
bool has_gpu_label(const node_shape& shape);

// Tells whether a node has such a label, or a GPU for pods.
bool has_gpu(const node_shape& shape);

// Tells whether a node has a GPU for pods.  strict: as in cluster-autoscaler, a node in MIG mixed mode that offers only slices
// has no known GPU.
bool offers_gpu(const resource_list& allocatable, bool strict = false);

// Tells whether a node is ready.  A labeled node is ready only after its device plugin has registered the resources, or its
// DRA driver the devices.
bool is_ready(const node& node, bool labelled, bool strict);

// Returns the resources that a template has for pods.
resource_list free_of(const node_shape& shape);

// Returns the amount of one node for a bound: its capacity; 1 for `nodes`, as in Karpenter's limits.
std::int64_t amount_of_node(const node_shape& shape, std::string_view resource_name);

// Returns the first pod that asks for what is not modeled and keeps its node; nullptr: none.  Pods of DaemonSets and mirror pods go
// with their node.
const pod* unmodeled_pod_of(const node& node);

// Labels that identify a cloud's node pools.

// Returns the pool in a node's labels; "": none.
std::string pool_named_by(const text_map& labels);

// Returns a nodeSelector for nodes of that pool; empty: the labels of its template do not identify it.
text_map selector_of(const pool& pool);

}  // namespace gputide::nodes
