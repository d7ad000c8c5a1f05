// The options of a plan, one row each.
#pragma once

#include "nodes/options.hpp"

#include <span>
#include <string_view>

namespace gputide::nodes {

struct option_row {
    std::string_view name;
    bool (*set)(std::string_view text, options& options);  // whether the text could be read
    std::string_view expected;
    std::string_view meaning;  // for who reads the table
};

std::span<const option_row> option_table();

// Known to cluster-autoscaler or AKS, and without meaning for a plan.
bool is_without_meaning(std::string_view name);

}  // namespace gputide::nodes
