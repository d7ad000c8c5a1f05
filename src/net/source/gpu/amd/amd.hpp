// The trigger type amd: keys, and AMD SMI as a GPU driver.
#pragma once

#include "base/result.hpp"
#include "manifest/spec.hpp"
#include "source/gpu/amd/functions.hpp"
#include "source/gpu/driver.hpp"
#include "source/gpu/gpus.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

namespace gputide::source::amd {

inline constexpr auto keys =
    text::fields({
        {.names = {"metric"},
         .required = true,
         .range = "`gpu_utilization`, `memory_copy_utilization`, `memory_used_bytes`, `memory_free_bytes`, "
                  "`memory_total_bytes`, `memory_used_ratio`, `power_watts`, `power_average_watts`",
         .meaning = "the metric that is read from each GPU"},
        {.names = {"devices", "device"},
         .type = value_type::list,
         .otherwise = "all GPUs of the machine",
         .range = "`0` (index), or a UUID as `amd-smi list` prints it",
         .meaning = "the GPUs to read; an index may refer to another GPU after a reboot, a UUID does not change"},
    }) +
    reduce_keys +
    text::fields({{.names = {"scale"},
                   .type = value_type::number,
                   .fallback = "1",
                   .meaning = "factor for the result: `100` turns the ratio into percent"}}) +
    threshold_keys;

// AMD SMI as the table of calls that all GPU drivers have in common.

extern const nvml::vendor vendor;

// Fills the table.  Only one library at a time, because the functions of the table have no context argument.
nvml::library adapted(library from);

// The trigger type amd: AMD GPUs of this machine, read with AMD SMI.  Everything but the library's calls is shared with nvml:
// listing, averages, the thread, the reduction to a sample.

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::amd
