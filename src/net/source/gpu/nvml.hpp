// The trigger type nvml: keys, settings, result.
#pragma once

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "source/description.hpp"
#include "source/gpu/driver.hpp"
#include "source/gpu/gpus.hpp"
#include "source/gpu/meter.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace gputide::source::nvml {

// The keys that the triggers of all vendors end with.
inline constexpr auto last_keys =
    reduce_keys +
    text::fields({{.names = {"scale"},
                   .type = value_type::number,
                   .fallback = "1",
                   .meaning = "factor for the result: `100` turns the ratio into percent"}}) +
    threshold_keys;

inline constexpr auto keys =
    text::fields({
        {.names = {"metric"},
         .required = true,
         .range = "`gpu_utilization`, `memory_copy_utilization`, `sm_active`, `sm_occupancy`, `tensor_active`, "
                  "`dram_active`, `pcie_transmit_bytes_per_second`, `pcie_receive_bytes_per_second`, "
                  "`nvlink_transmit_bytes_per_second`, `nvlink_receive_bytes_per_second`, `memory_used_bytes`, "
                  "`memory_free_bytes`, `memory_total_bytes`, `memory_used_ratio`, `power_watts`, "
                  "`power_average_watts`, `power_ratio`, `temperature_celsius`, `throttled`, `unhealthy`, "
                  "`process_utilization`, `process_memory_bytes`",
         .meaning = "the metric that is read from each GPU; utilizations are in percent, averaged over the time since "
                    "the last poll"},
        {.names = "devices device",
         .type = value_type::list,
         .otherwise = "all GPUs of the machine",
         .range = "`0` (index), `0:1` (MIG instance 1 of GPU 0), `GPU-…`, `MIG-…`",
         .meaning = "the GPUs to read; an index may refer to another GPU after a reboot, a UUID does not change"},
        {.names = {"pods"},
         .type = value_type::list,
         .otherwise = "every GPU",
         .range = "`name`, `namespace/name`; a trailing `*` matches any suffix",
         .meaning = "the pods with the GPUs to read, from the kubelet of this node; instead of `devices`"},
        {.names = {"pids"},
         .type = value_type::list,
         .otherwise = "every process",
         .range = "process IDs in the host's PID namespace",
         .meaning = "for `process_*` metrics: the processes to read"},
        {.names = {"containers"},
         .type = value_type::list,
         .otherwise = "every process",
         .range = "container IDs, or their first 12 or more digits",
         .meaning = "for `process_*` metrics: the containers of the processes to read"},
    }) +
    last_keys;

// Settings of an nvml or amd trigger.

struct settings : common_settings {
    const nvml::vendor* vendor = &nvidia;
    const nvml::quantity* quantity = nullptr;
    std::vector<wanted_gpu> devices;  // empty: all
    std::vector<wanted_pod> pods;     // if not empty: only their GPUs, and `devices` is empty
    process_filter processes;         // for process_* metrics
    judge_texts texts;
    double scale = 1.0;
};

result<settings> read_settings(trigger_reader& read, const vendor& of = nvidia);

// Reduces the driver's values to a sample, and converts them to series with labels if they are wanted.  Pure.  A GPU that could
// not be read makes the reading partial, unless the trigger accepts that.  A GPU that does not have the quantity (utilization in
// MIG mode) is ignored.
fetched judge_readings(const readings& readings, const settings& settings, detail wanted, std::int64_t now_ms);

// Reduces the series of such a reading to a sample.
fetched judge_values(numbers values, const settings& settings);

// The trigger type nvml: GPUs of this machine, read from the NVIDIA driver without an exporter or a Prometheus.

result<description> describe(trigger_reader& read);

// Describes a trigger for the GPUs of a vendor.
result<description> describe_gpus(trigger_reader& read, const vendor& of = nvidia);

// Opens a trigger with the reader that the function returns.
result<std::shared_ptr<metric_source>> open_on(function_ref<std::shared_ptr<reader>()> reader,
                                               const description& described, const services& services);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::nvml
