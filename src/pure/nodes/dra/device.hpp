// Devices of nodes, and the claims of pods for them: dynamic resource allocation (resource.k8s.io/v1).
// Facts: kubernetes/kubernetes staging/src/k8s.io/api/resource/v1/types.go; KEPs 4381, 4815, 4816, 5004, 5055.
#pragma once

#include "nodes/dra/selector.hpp"
#include "nodes/node.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gputide::nodes {

struct counter_use {
    std::uint32_t counter = 0;  // index in device_set::counters
    std::int64_t amount = 0;    // thousandths
};

struct device {
    std::uint32_t pool = 0;  // index in device_set::pools
    std::string name;
    device_properties properties;
    std::vector<taint> taints;
    std::vector<counter_use> counters;
    std::string unmodeled;  // property that plans do not model; "": none
};

// A pool of devices as its driver publishes it; not a pool of nodes.
struct device_pool {
    std::string driver;
    std::string name;
    bool complete = true;  // false: slices are missing or contradict each other; none of its devices is allocated
};

struct device_counter {
    std::uint32_t set = 0;   // number of its counter set among those of the node
    std::int64_t total = 0;  // thousandths
};

// The devices that ResourceSlices publish for one node, in the scheduler's order: pools by driver and name, slices by
// name, devices as written.
struct device_set {
    std::vector<device_pool> pools;
    std::vector<device> devices;
    std::vector<device_counter> counters;
};

struct exact_request {
    std::string name;  // of a subrequest
    std::string device_class;
    std::vector<std::shared_ptr<const device_selector>> selectors;  // those of its class, then its own
    std::vector<toleration> tolerations;
    std::int64_t count = 1;
    bool all = false;    // allocationMode All
    bool admin = false;  // adminAccess: the device stays free for other claims
};

struct device_request {
    std::string name;
    std::vector<exact_request> alternatives;  // one request, or those of firstAvailable in their order
};

struct device_constraint {
    std::string attribute;              // "domain/name"
    std::vector<std::string> requests;  // empty: all
    bool distinct = false;  // true: all devices must differ in the attribute; false: all must have the same value
};

struct device_claim {
    std::vector<device_request> requests;
    std::vector<device_constraint> constraints;
    std::string unmodeled;  // why it is not modeled: its devices, or what it asks for; "": it is
};

// An extended resource that a DeviceClass serves on nodes without it in their allocatable.
struct mapped_resource {
    std::string name;
    std::shared_ptr<const device_claim> claim;
};

// The claims of a pod.  Pods with equal claims share one object.
struct pod_claims {
    std::vector<std::shared_ptr<const device_claim>> claims;  // to be allocated
    std::vector<mapped_resource> mapped;
    std::string node;  // node of an allocated claim, which the pod must use; "": none

    bool maps(std::string_view resource_name) const;
};

// Returns the claims to allocate on a node of that shape; a mapped resource is included if the node does not offer it.
std::vector<const device_claim*> claims_on(const pod_claims& claims, const node_shape& shape);

// Tells whether DRA serves that resource on nodes of that shape; allocatable is then not a limit.
bool is_mapped_on(const placement& asks, const node_shape& shape, std::string_view resource_name);

// Returns which of the node's devices its DaemonSet and mirror pods hold, as they would on every node of its pool.
std::vector<bool> held_by_daemons(const node& node);

// Copies the devices of a pool's node to the pool's template, if it has none.  A node without devices in a pool with devices
// counts as not ready: its drivers have not published them yet.
void complete_devices(std::vector<pool>& pools, std::vector<node>& nodes);

// Allocates devices of nodes to claims by exhaustive search; the first solution in the order of requests and devices is used.
// Rules: kubernetes/dynamic-resource-allocation structured/internal (allocator, pools, constraint).

// The use of one node's devices.
struct device_use {
    const device_set* set = nullptr;  // nullptr: no devices
    std::vector<bool> held;
    std::vector<std::int64_t> counters_left;
    std::uint32_t free = 0;     // devices that are not held
    std::uint32_t changes = 0;  // number of changes, so that a failed attempt is repeated only after a change
};

device_use use_of_devices(const node_shape& shape);
void set_held(device_use& use, std::uint32_t device, bool is_held);

// Evaluates requests' selectors for devices, once per request and device.
class device_matches {
  public:
    match of(const exact_request& request, const device_set& set, std::uint32_t device);

  private:
    std::map<std::pair<const exact_request*, const device_set*>, std::vector<match>> known_;
};

enum class allocation : std::uint8_t {
    done = 0,
    no_devices = 1,      // not enough devices that match and are free
    selector_error = 2,  // CEL fails for a device
    undecided = 3,  // the search exceeded its limit of steps, or the devices that a DeviceClass selects are not modeled
    claim_error = 4,  // `All` of an incomplete pool or against a constraint, or more devices than a claim may have
};

struct allocation_result {
    allocation outcome = allocation::done;
    std::string device_class;            // of the request that was not satisfied
    std::vector<std::uint32_t> devices;  // devices held by this allocation, without those with admin access
};

inline constexpr std::int64_t max_devices_of_claim = 32;       // resource.k8s.io AllocationResultsMaxSize
inline constexpr std::int64_t max_allocation_steps = 100'000;  // of one search; the scheduler stops after 10 s

// Holds devices for all claims, or for none.
allocation_result allocate(std::span<const device_claim* const> claims, device_use& use, device_matches& matches);

// Returns why it may be undecided whether the devices of a node suffice.
std::string why_undecided(const pod_claims& claims);

// Returns the smallest number of free devices that claims need.
std::int64_t min_devices(const std::vector<const device_claim*>& claims);

// Returns the largest fraction of a node's devices that a pod's claims need.
double share_of_devices(const pod_claims& claims, const node_shape& shape);

// The devices of bins (packing.hpp).
class device_bins {
  public:
    // Adds the claims of a kind of pod; returns their number.
    std::uint32_t add_claims(const pod_claims& claims);
    void add_bin(const node_shape& shape, std::string name);
    bool maps(std::string_view resource_name) const;  // Tells whether one of the claims serves this extended resource.
    bool is_undecided(std::uint32_t claims) const { return claimed_[claims].undecided; }  // for some bin

    // Returns the most free devices of a bin of these.
    std::int64_t max_free(std::uint32_t begin, std::uint32_t end) const;

    // Allocates for up to `max_pods` equal pods; returns for how many.
    std::int64_t place(std::uint32_t claims, std::uint32_t bin, std::int64_t max_pods);
    // Tells whether allocating for such a pod is an error: the scheduler then places it on no node.
    bool is_error(std::uint32_t claims, std::uint32_t bin);
    // Tells whether it can be an error on any bin, whichever devices are free.
    bool can_err(std::uint32_t claims);
    void take_back(std::uint32_t claims, std::uint32_t bin, std::int64_t pods);

  private:
    // Earlier results for claims on a bin.
    struct known_of_bin {
        std::uint32_t failed = 0;  // the bin's changes at the last failure, plus 1
        std::uint32_t judged = 0;  // its changes when is_error was found, plus 1
        bool is_error = false;
        std::optional<bool> can_err;
    };
    struct claimed {
        const pod_claims* claims = nullptr;
        std::vector<known_of_bin> bins;
        bool undecided = false;
        std::uint32_t safe_bins = 0;  // the first ones, on which it cannot be an error
    };
    struct bin_devices {
        device_use use;
        const node_shape* shape = nullptr;
        std::string name;
        std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> allocated;  // claims, devices
    };

    known_of_bin& known(std::uint32_t claims, std::uint32_t bin);
    bool can_err(std::uint32_t claims, std::uint32_t bin);
    bool can_err_for(const std::vector<const device_claim*>& claims, const device_set& set);

    std::map<const pod_claims*, std::uint32_t> numbers_;
    std::vector<claimed> claimed_;
    std::vector<bin_devices> bins_;
    device_matches matches_;
};

// Holds devices of a node for pods that a plan places on it.
void hold_devices_for(const pod_claims& claims, std::int64_t pods, node_shape& shape, device_matches& matches);

}  // namespace gputide::nodes
