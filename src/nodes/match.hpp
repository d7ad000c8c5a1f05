// A pod's rules about a node, one by one: selector and affinity, taints, GPU model and memory.  Amounts are packing's part.
#pragma once

#include "nodes/node.hpp"

#include <string_view>

namespace gputide::nodes {

// Every nodeSelector pair, and the required affinity: terms ORed, expressions ANDed, a term with no expression matches nothing.
bool selector_matches(const placement& asks, const node_shape& shape, std::string_view node_name);

// In, NotIn, Exists, DoesNotExist, Gt, Lt.  NotIn and DoesNotExist hold where the label is absent; Gt and Lt read both sides
// as whole numbers, and do not hold where one is none.
bool requirement_holds(const requirement& one, const std::string* value);

// Empty effect and empty key (with Exists alone) stand for all; Equal, which an empty operator means, needs equal values.
bool tolerates(const toleration& one, const taint& against);

// The first of NoSchedule and NoExecute that nothing tolerates; nullptr: none.
const taint* first_untolerated(const placement& asks, const std::vector<taint>& taints);

bool gpu_model_matches(const placement& asks, const node_shape& shape);
bool gpu_memory_suffices(const placement& asks, const node_shape& shape);

// Two ports of one number and protocol collide unless they name different addresses.
bool ports_collide(const host_port& a, const host_port& b);

}  // namespace gputide::nodes
