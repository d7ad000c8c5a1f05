// Labels that identify a cloud's node pools.
#pragma once

#include "nodes/node.hpp"

#include <string>

namespace gputide::nodes {

// Returns the pool that a node's labels name; "": none.
std::string pool_named_by(const text_map& labels);

// Returns the nodeSelector for nodes of that pool; empty: its template's labels do not identify it.
text_map selector_of(const pool& pool);

}  // namespace gputide::nodes
