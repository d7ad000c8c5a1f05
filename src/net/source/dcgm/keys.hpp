// The keys of a dcgm trigger.
#pragma once

#include "config/field.hpp"
#include "source/access/keys.hpp"
#include "source/keys.hpp"
#include "source/presets.hpp"

namespace gputide::source::dcgm {

inline constexpr auto keys =
    config::fields({
        {.names = {"urls", "url"},
         .type = value_type::list,
         .required = true,
         .of_access = true,
         .range = "1 to 256 http or https URLs",
         .meaning = "one exporter or several, asked in parallel; without a path it is `/metrics`"},
        {.names = {"metric"},
         .required = true,
         .meaning = "a metric's name, of dcgm-exporter 1.x (`dcgm_gpu_utilization`) or of today, which stand for each "
                    "other; or `memory_pressure` = `DCGM_FI_DEV_FB_USED` over "
                    "`DCGM_FI_DEV_FB_USED,DCGM_FI_DEV_FB_FREE`"},
        {.names = {"denominator"},
         .type = value_type::list,
         .otherwise = "no ratio",
         .meaning = "metrics to divide by: both sides are summed first, then divided, in each group"},
        {.names = {"selector"},
         .otherwise = "all series",
         .range = "`=`, `!=`, `=~`, `!~`, values in quotes",
         .meaning =
             "label matchers as in PromQL. A label that is absent is `\"\"`. Regular expressions match the whole "
             "value (RE2's common syntax, with the flags `(?i)` and `(?s)`). A backslash is written twice in `\"…\"`, "
             "once in backticks"},
        {.names = {"by"},
         .type = value_type::list,
         .otherwise = "no groups",
         .meaning =
             "labels that make a group; `pod` means namespace and pod. A series with none of these labels (a GPU "
             "that no pod holds) is left out"},
        {.names = {"groupReduce"},
         .fallback = "max",
         .range = "`avg`, `max`, `min`, `sum`, `count`, `pNN`",
         .meaning = "how the series of a group become its value"},
        {.names = {"rate"},
         .type = value_type::flag,
         .otherwise = "`true` for known counters",
         .meaning = "a counter's growth per second since the last fetch; per series, before anything is reduced"},
        {.names = {"scale"},
         .type = value_type::number,
         .fallback = "1",
         .meaning =
             "factor for the result: `100` turns the ratios of `DCGM_FI_PROF_*` into percent, `0.001` the rate of "
             "energy (mJ) into W"},
        {.names = {"timeout"}, .type = value_type::duration, .otherwise = "3 s", .meaning = "for each page"},
        {.names = {"unsafeSsl"},
         .type = value_type::flag,
         .fallback = "false",
         .meaning = "do not verify the exporter's certificate"},
    }) +
    preset_keys + reduce_keys + threshold_keys + access::access_keys;

}  // namespace gputide::source::dcgm
