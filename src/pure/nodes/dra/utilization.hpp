// Utilization of a node by its devices.
#pragma once

#include "nodes/dra/allocation.hpp"
#include "nodes/scale_down/eligibility.hpp"

namespace gputide::nodes {

// Returns the highest utilization of the node's pools of devices; the first of equal ones.  Of a pool:
//   devices without counters    held / all
//   partitions                  mean over their counter sets of the highest (used / total) of a counter
//   both held                   mean of the two, weighted by counter sets and devices without counters
// kubernetes/autoscaler simulator/dynamicresources/utils/utilization.go.
// Worked: 4 of 8 whole GPUs held: 0.5.  A 1g.10gb slice on one of 8 partitionable GPUs uses 1 of 7 slices and 1 of 8
// parts of the memory: 1/7/8 = 0.018.
utilization utilization_of_devices(const node_shape& shape);

struct gpu_count_of_devices {
    std::int64_t gpus = 0;
    std::int64_t held = 0;
};

// Counts the GPUs among a node's devices, by drivers with "gpu" in their name: devices without counters, and counter
// sets, each of which is one partitionable GPU; it is held if a part of it is.
gpu_count_of_devices gpus_among_devices(const node_shape& shape);

}  // namespace gputide::nodes
