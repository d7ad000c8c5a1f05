// Reads the options of a plan: cluster-autoscaler's flags under their own names, in a mapping, in a list of flags and in the
// Deployment that runs it; AKS' profile with the same names; and a few of this project.
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

// Recognizes flags of cluster-autoscaler or AKS that have no effect on a plan.
bool is_without_meaning(std::string_view name);

// Values may be quoted, as in flags and ARM: "10m", "true", "0.5".  An unknown option is a warning, an invalid value an
// error, and the option then keeps its value.
void read_options(const value_reader& reader, options& options);

// Sets one option, by its own name or by az's name of AKS' profile ("scaleDownUnneededTime").
void read_option(const value_reader& where, std::string_view name, std::string_view text, options& options);

// Parses {"50": ["h100.*"], "10": [".*"]}; an invalid pattern or number is an error and all of them are ignored.
void read_priorities(const value_reader& reader, options& options);

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
                 text::report& findings);

// Returns the command and arguments of the container that runs cluster-autoscaler; nothing: there is none.
std::optional<std::vector<value_reader>> autoscaler_command(const value_reader& workload);

// Reads the ConfigMap cluster-autoscaler-priority-expander; its data.priorities is a YAML text.
bool is_priority_map(const value_reader& object);
void read_priority_map(const value_reader& object, options& options);

}  // namespace gputide::nodes
