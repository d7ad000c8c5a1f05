// How well a cluster's GPUs are used before a plan and after it, and what is paid for those that nobody asks for.
#pragma once

#include "nodes/plan.hpp"

#include <cstdint>
#include <vector>

namespace gputide::nodes {

// Of a node that is there, in units that pods ask for: GPUs, their replicas, MIG slices.
struct node_use {
    std::int64_t gpus = 0;
    std::int64_t used = 0;        // by the pods that are there
    std::int64_t used_after = 0;  // with pending pods placed and others moved; 0 of a node that goes
    bool goes = false;
};

// Nodes that the plan adds, equal ones that follow each other together.
struct added_use {
    std::uint32_t pool = 0;  // position
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;  // of each
    std::int64_t used = 0;  // of each
};

// Of all nodes with GPUs that are there, and after the plan those that it adds; a node that goes does not count.
struct gpu_use {
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;
    std::int64_t used = 0;
    double cost_per_hour = 0.0;
    double unused_cost_per_hour = 0.0;  // each node's price by the part of its GPUs that nobody asks for
    bool prices_known = true;           // of every node that counts
};

struct plan_use {
    std::vector<node_use> nodes;  // as the cluster's
    std::vector<added_use> added;
    gpu_use before;
    gpu_use after;
};

// 2 of 8 GPUs asked for on a node of 98.32 an hour: 73.74 of them for nothing.
plan_use use_of(const cluster& cluster, const plan& plan);

}  // namespace gputide::nodes
