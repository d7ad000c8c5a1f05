// Reads cluster-autoscaler's command line: in a list of flags, and in the Deployment that runs it.
#pragma once

#include "nodes/options.hpp"
#include "nodes/read/values.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gputide::nodes {

// Parses --nodes=1:10:pool.
struct node_bounds {
    std::string pool;
    std::int64_t min = 0;
    std::int64_t max = 0;
    place where;
};

// Parses "--expander=least-waste", "--expander", "least-waste", "--scale-down-enabled"; the words before the first flag
// are the program.
void read_flags(const std::vector<value_reader>& words, options& options, std::vector<node_bounds>& bounds);

// Applies the bounds to the pools with that name, or with that scale set of AKS ("aks-gpunp-12345678-vmss"); a pool
// that is known only from its nodes is added.
void join_bounds(const std::vector<node_bounds>& bounds, std::vector<pool>& pools, const std::vector<node>& nodes,
                 config::report& findings);

// Returns the command and arguments of the container that runs cluster-autoscaler; nothing: there is none.
std::optional<std::vector<value_reader>> autoscaler_command(const value_reader& workload);

// Reads the ConfigMap cluster-autoscaler-priority-expander; its data.priorities is a YAML text.
bool is_priority_map(const value_reader& object);
void read_priority_map(const value_reader& object, options& options);

}  // namespace gputide::nodes
