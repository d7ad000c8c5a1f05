// Trigger type amd: the AMD GPUs of this very machine, asked through AMD SMI.  All but the library's calls is nvml's: listing,
// averages, the thread, the judgement.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/description.hpp"

namespace gputide::source::amd {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

}  // namespace gputide::source::amd
