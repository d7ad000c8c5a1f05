// gputided nodes plan, gputided nodes explain: GPU nodes for the pods of files or of a cluster.  Nothing is added or removed.
#pragma once

#include "common/subcommand.hpp"

namespace gputided {

void add_nodes_plan(subcommands& commands);
void add_nodes_explain(subcommands& commands);

}  // namespace gputided
