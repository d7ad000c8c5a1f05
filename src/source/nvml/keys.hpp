// The keys of an nvml trigger.
#pragma once

#include "config/field.hpp"
#include "source/keys.hpp"

namespace gputide::source::nvml {

inline constexpr auto keys =
    config::fields({
        {.names = {"metric"},
         .required = true,
         .allowed = {"gpu_utilization", "memory_copy_utilization", "memory_used_bytes", "memory_free_bytes",
                     "memory_total_bytes", "memory_used_ratio", "power_watts", "temperature_celsius"},
         .meaning =
             "what is read of each GPU; utilisation in percent of the last sample period, the ratio from 0 to 1"},
        {.names = {"devices", "device"},
         .type = value_type::list,
         .otherwise = "all of the machine",
         .range = "`0` (index), `0:1` (MIG instance 1 of GPU 0), `GPU-…`, `MIG-…`",
         .meaning = "the GPUs that count; an index may mean another GPU after a reboot, a UUID does not"},
    }) +
    reduce_keys +
    config::fields({{.names = {"scale"},
                     .type = value_type::number,
                     .fallback = "1",
                     .meaning = "factor for the result: `100` turns the ratio into percent"}}) +
    threshold_keys;

}  // namespace gputide::source::nvml
