// The options of a plan, one row each.
#pragma once

#include "nodes/options.hpp"

#include <span>
#include <string_view>

namespace gputide::nodes {

struct option_row {
    std::string_view name;
    bool (*set)(std::string_view text, options& options);  // false: the text is invalid
    std::string_view expected;
    std::string_view meaning;  // description for readers of the table
};

std::span<const option_row> option_table();

// Flags of cluster-autoscaler or AKS that have no effect on a plan.
bool is_without_meaning(std::string_view name);

}  // namespace gputide::nodes
