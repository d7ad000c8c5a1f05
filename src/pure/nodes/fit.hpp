// Checks whether a pod fits a node, and returns all reasons why it does not: selector and affinity, taints, GPU model and
// memory, amounts. packing.hpp does the same for many equal pods.
#pragma once

#include "nodes/node.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::nodes {

enum class misfit : std::int32_t {
    node_selector = 0,
    untolerated_taint = 1,
    gpu_model = 2,
    gpu_memory = 3,
    insufficient = 4,
    host_port = 5,
    pod_affinity = 6,
    pod_anti_affinity = 7,
    topology_spread = 8,
    devices = 9,             // not enough devices for its claims; the name is the DeviceClass
    device_selector = 10,    // a selector fails for a device of the node; likewise
    claim_elsewhere = 11,    // a claim is allocated on another node
    devices_undecided = 12,  // whether the node has the devices is not known
};

// A reason why a pod does not fit a node.
struct reason {
    misfit code = misfit::node_selector;
    std::string name;  // the taint's key, the resource's name; "" for others

    friend bool operator==(const reason&, const reason&) = default;
};

// Returns "node_selector_mismatch", "untolerated_taint:sku", "gpu_model_mismatch", "gpu_memory_too_small",
// "insufficient:nvidia.com/gpu", "host_port_conflict", "pod_affinity", "pod_anti_affinity", "topology_spread",
// "insufficient_devices:gpu.nvidia.com", "device_selector_error:gpu.nvidia.com", "claim_allocated_elsewhere",
// "devices_undecided:gpu.nvidia.com"
std::string code_of(const reason& reason);

// A pod's placement rules: selector and affinity, taints, GPU model and memory. packing.hpp handles amounts.

// Checks every nodeSelector pair, and the required affinity: terms are ORed, expressions ANDed; a term without expressions
// matches no node.
bool selector_matches(const placement& asks, const node_shape& shape, std::string_view node_name);
// Evaluates In, NotIn, Exists, DoesNotExist, Gt, Lt.  NotIn and DoesNotExist are true if the label is absent; Gt and Lt parse
// both sides as integers, and are false if that fails.
bool requirement_holds(const requirement& requirement, const std::string* value);

// Tells whether labels satisfy a selector.
bool labels_match(const std::vector<requirement>& selector, const text_map& labels);

// Returns the first NoSchedule or NoExecute taint that is not tolerated; nullptr: none.
const taint* first_untolerated(const std::vector<toleration>& tolerations, const std::vector<taint>& taints);

// Tells whether all rules about nodes hold: selector and affinity, volumes, taints, GPU model and memory.
bool node_rules_hold(const placement& asks, const node_shape& shape, std::string_view node_name);

// Tells whether a port that the pod asks for conflicts with one of those.
bool port_is_taken(const placement& asks, const std::vector<host_port>& taken);

// Checks whether a pod fits a node, with every reason why not.

// The resources in use on a node.
struct occupied {
    resource_list used;  // including `pods`
    std::vector<host_port> ports;
};

// Runs all checks in this order: selector and affinity, taints, GPU model, GPU memory, each requested resource by name
// (used + request ≤ allocatable; a missing one counts as 0; `pods` counts 1 if the node lists it), host ports, devices.
std::vector<reason> why_not(const placement& asks, const node_shape& shape, const occupied& taken,
                            std::string_view node_name = {});

// Checks against a template's resources after its daemons.
std::vector<reason> why_not_on_template(const placement& asks, const node_shape& shape);

// Returns a text of the rules that node_rules_hold() checks.  Equal texts have equal results on every node.
std::string node_rules_of(const placement& asks);

// Appends "5:texts", so that no two lists of texts are equal.
void append_part(std::string& out, std::string_view text);

// Returns the resources in use by a list of pods.
occupied taken_by(std::span<const pod> pods);

}  // namespace gputide::nodes
