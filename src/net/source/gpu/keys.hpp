// The keys of an nvml trigger.
#pragma once

#include "config/field.hpp"
#include "source/keys.hpp"

namespace gputide::source::nvml {

inline constexpr auto keys =
    config::fields({
        {.names = {"metric"},
         .required = true,
         .range = "`gpu_utilization`, `memory_copy_utilization`, `sm_active`, `sm_occupancy`, `tensor_active`, "
                  "`dram_active`, `pcie_transmit_bytes_per_second`, `pcie_receive_bytes_per_second`, "
                  "`nvlink_transmit_bytes_per_second`, `nvlink_receive_bytes_per_second`, `memory_used_bytes`, "
                  "`memory_free_bytes`, `memory_total_bytes`, `memory_used_ratio`, `power_watts`, "
                  "`power_average_watts`, `power_ratio`, `temperature_celsius`, `throttled`, `unhealthy`, "
                  "`process_utilization`, `process_memory_bytes`",
         .meaning = "what is read of each GPU; shares of time in percent, averaged over the time since the last poll"},
        {.names = {"devices", "device"},
         .type = value_type::list,
         .otherwise = "all of the machine",
         .range = "`0` (index), `0:1` (MIG instance 1 of GPU 0), `GPU-…`, `MIG-…`",
         .meaning = "the GPUs that count; an index may mean another GPU after a reboot, a UUID does not"},
        {.names = {"pods"},
         .type = value_type::list,
         .otherwise = "every GPU",
         .range = "`name`, `namespace/name`; a `*` at the end stands for any rest",
         .meaning = "the pods whose GPUs count, as the kubelet of this node knows them; instead of `devices`"},
        {.names = {"pids"},
         .type = value_type::list,
         .otherwise = "every process",
         .range = "process ids, as the host numbers them",
         .meaning = "of `process_*` metrics: the processes that count"},
        {.names = {"containers"},
         .type = value_type::list,
         .otherwise = "every process",
         .range = "container ids, or their first 12 digits and more",
         .meaning = "of `process_*` metrics: the containers whose processes count"},
    }) +
    reduce_keys +
    config::fields({{.names = {"scale"},
                     .type = value_type::number,
                     .fallback = "1",
                     .meaning = "factor for the result: `100` turns the ratio into percent"}}) +
    threshold_keys;

}  // namespace gputide::source::nvml
