// Checks whether a pod fits a node, with every reason why not.
#pragma once

#include "nodes/match.hpp"
#include "nodes/reason.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace gputide::nodes {

// The resources in use on a node.
struct occupied {
    resource_list used;  // `pods` among it
    std::vector<host_port> ports;
};

// Runs all checks in this order: selector and affinity, taints, GPU model, GPU memory, each requested resource by name
// (used + request ≤ allocatable; a missing one counts as 0; `pods` counts 1 if the node lists it), host ports.
std::vector<reason> why_not(const placement& asks, const node_shape& shape, const occupied& taken,
                            std::string_view node_name = {});

// Checks against a template's resources after its daemons.
std::vector<reason> why_not_on_template(const placement& asks, const node_shape& shape);

// Returns the resources in use by a list of pods.
occupied taken_by(std::span<const pod> pods);

}  // namespace gputide::nodes
