// The metadata of an nvml or amd trigger as typed settings.  No I/O.  In: one trigger; out: settings, or all errors together; warnings
// go to the report.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/gpu/gpus.hpp"
#include "source/gpu/pods.hpp"
#include "source/gpu/processes.hpp"
#include "source/gpu/quantity.hpp"
#include "source/gpu/vendor.hpp"
#include "source/judge.hpp"
#include "source/source.hpp"

#include <vector>

namespace gputide::source::nvml {

struct settings {
    const nvml::vendor* vendor = &nvidia;
    const nvml::quantity* quantity = nullptr;
    std::vector<wanted_gpu> devices;  // empty: all
    std::vector<wanted_pod> pods;     // not empty: their GPUs alone, and `devices` is empty
    process_filter processes;         // of process_* metrics
    source::reduction reduction = {.reduce = "avg", .ignore_null = false};
    judge_texts texts;
    double scale = 1.0;
    source::target target;
};

result<settings> read_settings(const config::trigger& trigger, const config::trigger_rules& rules,
                               const vendor& of = nvidia);

}  // namespace gputide::source::nvml
