// Reads the options of a plan: cluster-autoscaler's flags under their own names, in a mapping, in a list of flags or in the
// Deployment that runs it; AKS' profile with the same names; and options of gputide.
#pragma once

#include "nodes/options.hpp"
#include "nodes/read/values.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::text {
template <class Settings>
struct setting;
}

namespace gputide::nodes {

using option_row = text::setting<options>;
std::span<const option_row> option_rows();

// Tells whether a flag of cluster-autoscaler or AKS has no effect on a plan.
bool is_without_meaning(std::string_view name);

// Reads options.  Values may be quoted, as in flags and ARM: "10m", "true", "0.5".  An unknown option is a warning; an
// invalid value is an error, and the option keeps its value.
void read_options(const value_reader& reader, options& options);

// Parses --nodes=1:10:pool.
struct node_bounds {
    std::string pool;
    std::int64_t min = 0;
    std::int64_t max = 0;
    place where;
};

// Parses "--expander=least-waste", "--expander", "least-waste", "--scale-down-enabled"; words before the first flag are the
// program.
void read_flags(const std::vector<value_reader>& words, options& options, std::vector<node_bounds>& bounds);

// Applies the bounds to the pools with that name, or with that scale set of AKS ("aks-gpunp-12345678-vmss"); adds a pool that
// only its nodes mention.
void join_bounds(const std::vector<node_bounds>& bounds, std::vector<pool>& pools, const std::vector<node>& nodes,
                 text::report& findings);

// Returns command and arguments of the container that runs cluster-autoscaler; nothing: the workload has no such container.
std::optional<std::vector<value_reader>> autoscaler_command(const value_reader& workload);

// Reads the ConfigMap cluster-autoscaler-priority-expander; its data.priorities is a YAML text.
bool is_priority_map(const value_reader& object);
void read_priority_map(const value_reader& object, options& options);

}  // namespace gputide::nodes
