// Trigger type amd: the AMD GPUs of this very machine, asked through AMD SMI.  All but the library's calls is nvml's: listing,
// averages, the thread, the judgement.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/source.hpp"

namespace gputide::source::amd {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::amd
