// The keys of an amd trigger.
#pragma once

#include "config/field.hpp"
#include "source/keys.hpp"

namespace gputide::source::amd {

inline constexpr auto keys =
    config::fields({
        {.names = {"metric"},
         .required = true,
         .range = "`gpu_utilization`, `memory_copy_utilization`, `memory_used_bytes`, `memory_free_bytes`, "
                  "`memory_total_bytes`, `memory_used_ratio`, `power_watts`, `power_average_watts`",
         .meaning = "what is read of each GPU"},
        {.names = {"devices", "device"},
         .type = value_type::list,
         .otherwise = "all of the machine",
         .range = "`0` (index), or a UUID as `amd-smi list` prints it",
         .meaning = "the GPUs that count; an index may mean another GPU after a reboot, a UUID does not"},
    }) +
    reduce_keys +
    config::fields({{.names = {"scale"},
                     .type = value_type::number,
                     .fallback = "1",
                     .meaning = "factor for the result: `100` turns the ratio into percent"}}) +
    threshold_keys;

}  // namespace gputide::source::amd
