// Labels by which a cloud tells the nodes of its pools apart.
#pragma once

#include "nodes/node.hpp"

#include <string>

namespace gputide::nodes {

// The pool that a node's labels name; "": none.
std::string pool_named_by(const text_map& labels);

// What a pod's nodeSelector has to say to come onto nodes of that pool; empty: its template's labels do not tell.
text_map selector_of(const pool& one);

}  // namespace gputide::nodes
