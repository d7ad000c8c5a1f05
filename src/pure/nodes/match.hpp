// A pod's placement rules, one by one: selector and affinity, taints, GPU model and memory.  packing.hpp handles
// amounts.
#pragma once

#include "nodes/node.hpp"

#include <string_view>

namespace gputide::nodes {

// Checks every nodeSelector pair, and the required affinity: terms ORed, expressions ANDed; a term without expressions
// matches nothing.
bool selector_matches(const placement& asks, const node_shape& shape, std::string_view node_name);

// Evaluates In, NotIn, Exists, DoesNotExist, Gt, Lt.  NotIn and DoesNotExist hold if the label is absent; Gt and Lt
// parse both sides as integers, and do not hold if that fails.
bool requirement_holds(const requirement& requirement, const std::string* value);

// Checks a toleration: empty effect and empty key (with Exists only) match all; Equal, the default operator, needs
// equal values.
bool tolerates(const toleration& toleration, const taint& against);

// Returns the first of NoSchedule and NoExecute that is not tolerated; nullptr: none.
const taint* first_untolerated(const placement& asks, const std::vector<taint>& taints);

bool gpu_model_matches(const placement& asks, const node_shape& shape);
bool gpu_memory_suffices(const placement& asks, const node_shape& shape);

// Tells whether two ports collide: equal number and protocol, unless their addresses differ.
bool ports_collide(const host_port& a, const host_port& b);

}  // namespace gputide::nodes
