// Rows that the tables of several sources have alike.
#pragma once

#include "config/field.hpp"

namespace gputide::source {

using config::origin;
using config::value_type;

inline constexpr auto threshold_keys = config::fields({
    {.names = {"threshold"}, .type = value_type::number, .required = true, .meaning = "the target"},
    {.names = {"activationThreshold"},
     .type = value_type::number,
     .fallback = "0",
     .meaning = "above it the workload is active"},
});

inline constexpr auto target_value_keys = config::fields({
    {.names = {"targetValue"},
     .type = value_type::number,
     .otherwise = "required",
     .range = "not 0",
     .meaning = "the target"},
    {.names = {"activationTargetValue"},
     .type = value_type::number,
     .fallback = "0",
     .meaning = "above it the workload is active"},
});

// Of sources that make one number of several values themselves.
inline constexpr auto reduce_keys = config::fields({
    {.names = {"reduce"},
     .otherwise = "`gputide.io/reduce`, else `avg`",
     .range = "`avg`, `max`, `min`, `sum`, `count`, `pNN`",
     .meaning = "how values become the trigger's number"},
});

}  // namespace gputide::source
