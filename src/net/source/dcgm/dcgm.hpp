// Trigger type dcgm: GPU metrics straight from dcgm-exporter pages (or any other /metrics page), without a Prometheus between.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/description.hpp"

namespace gputide::source::dcgm {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

}  // namespace gputide::source::dcgm
