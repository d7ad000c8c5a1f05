// A plan as JSON.
#pragma once

#include "nodes/plan.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::nodes {

// GPU use of an existing node, in units that pods request: GPUs, replicas of a shared GPU, MIG slices.
struct node_use {
    std::int64_t gpus = 0;
    std::int64_t used = 0;        // by existing pods
    std::int64_t used_after = 0;  // after pending pods are placed and others moved; 0 for a removed node
    bool goes = false;
};

// Nodes that the plan adds; adjacent equal nodes are merged.
struct added_use {
    std::uint32_t pool = 0;  // index
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;  // per node
    std::int64_t used = 0;  // per node
};

// GPU use of all existing nodes with GPUs; after the plan also of added nodes, and without removed ones.
struct gpu_use {
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;
    std::int64_t used = 0;
    double cost_per_hour = 0.0;
    double unused_cost_per_hour = 0.0;  // price of each node times the fraction of its GPUs that is not requested
    bool prices_known = true;           // the prices of all counted nodes are known
};

struct plan_use {
    std::vector<node_use> nodes;  // in the order of the cluster's nodes
    std::vector<added_use> added;
    gpu_use before;
    gpu_use after;
};

// Computes the use.  Example: 2 of 8 GPUs requested on a node of 98.32 an hour: 73.74 of it unused.
plan_use use_of(const cluster& cluster, const plan& plan);

// Suggestions for pods without a place, in sentences for people.

// Returns possible changes of the group's pods, of a pool or of a limit.  Empty if all of the group's pods have a place.
std::vector<std::string> help_for(const cluster& cluster, const plan& plan, std::size_t group);

// Writes a plan as JSON (docs/json.md, nodes_plan).

std::string plan_json(const cluster& cluster, const plan& plan, const text::report& findings, std::int64_t now_ms);

}  // namespace gputide::nodes
