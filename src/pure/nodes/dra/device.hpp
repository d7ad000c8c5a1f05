// Devices of nodes, and the claims of pods for them: dynamic resource allocation (resource.k8s.io/v1).
// Facts: kubernetes/kubernetes staging/src/k8s.io/api/resource/v1/types.go; KEPs 4381, 4815, 4816, 5004, 5055.
#pragma once

#include "nodes/dra/selector.hpp"
#include "nodes/node.hpp"

#include <cstdint>
#include <memory>
#include <string>
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
    std::string unmodeled;  // of an extended resource: why its devices are not modeled; "": they are
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

}  // namespace gputide::nodes
