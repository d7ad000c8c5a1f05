// cluster-autoscaler's command line as it is written: in a list of flags, and in the Deployment that runs it.
#pragma once

#include "nodes/options.hpp"
#include "nodes/read/values.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gputide::nodes {

// --nodes=1:10:pool
struct node_bounds {
    std::string pool;
    std::int64_t min = 0;
    std::int64_t max = 0;
    place where;
};

// "--expander=least-waste", "--expander", "least-waste", "--scale-down-enabled"; what stands before the first flag is the program.
void read_flags(const std::vector<value_reader>& words, options& options, std::vector<node_bounds>& bounds);

// The bounds go to the pools of that name, or of that scale set of AKS ("aks-gpunp-12345678-vmss"); a pool that only its nodes
// show is added.
void join_bounds(const std::vector<node_bounds>& bounds, std::vector<pool>& pools, const std::vector<node>& nodes,
                 config::report& findings);

// The command and arguments of the container that runs cluster-autoscaler; nothing: none does.
std::optional<std::vector<value_reader>> autoscaler_command(const value_reader& workload);

// The ConfigMap cluster-autoscaler-priority-expander, whose data.priorities is YAML in a text.
bool is_priority_map(const value_reader& object);
void read_priority_map(const value_reader& object, options& options);

}  // namespace gputide::nodes
