// Reads the cases of node-estimate as the module's own values: through/nodes.hpp translates a case into our documents, and the
// module reads these.
#pragma once

#include "nodes/plan.hpp"
#include "through/nodes.hpp"

#include <cstdint>

namespace conformance {

gputide::nodes::pod pod_of(const json& object, std::int64_t now_ms = case_epoch_ms);
gputide::nodes::node_shape shape_of(const json& object);
gputide::nodes::node node_of(const json& object, const json& pods, std::int64_t now_ms = case_epoch_ms);

// {"cpu":500,"memory":1048576000,"name":"p"}: every number of it.
gputide::nodes::resource_list amounts_of(const json& object);

}  // namespace conformance
