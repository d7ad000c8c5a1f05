// A cluster as its API server tells it at present, instead of what kubectl printed.
#pragma once

#include "common/shared_options.hpp"

#include <string>

namespace gputided {

// Nodes, pods that have not ended, and PodDisruptionBudgets: lists of Kubernetes for a plan.  Throws gputide::failure; budgets that
// may not be read are told in the log and left out.
std::string read_cluster(const shared_options& shared);

}  // namespace gputided
