// Utilization of a node by its devices.
#pragma once

#include "nodes/dra/allocation.hpp"
#include "nodes/scale_down/eligibility.hpp"

namespace gputide::nodes {

// Returns the highest utilization of the node's pools of devices; the first of equal ones.  For one pool:
//   devices without counters    held / all
//   partitions                  for each counter set the highest (used / total) of its counters; the mean over the sets
//   both kinds                  mean of the two, weighted by counter sets and devices without counters
// kubernetes/autoscaler simulator/dynamicresources/utils/utilization.go.
// Examples: 4 of 8 whole GPUs held: 0.5.  A 1g.10gb slice on one of 8 partitionable GPUs uses 1 of 7 slices and 1 of 8
// parts of the memory: 1/7/8 = 0.018.
utilization utilization_of_devices(const node_shape& shape);

struct gpu_count_of_devices {
    std::int64_t gpus = 0;
    std::int64_t held = 0;
};

// Counts the GPUs among a node's devices, for drivers with "gpu" in their name: devices without counters, and counter sets.
// A counter set is one partitionable GPU, which is held if any part of it is.
gpu_count_of_devices gpus_among_devices(const node_shape& shape);

}  // namespace gputide::nodes
