// Trigger type dcgm: GPU metrics straight from dcgm-exporter pages (or any other /metrics page), without a Prometheus between.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/source.hpp"

namespace gputide::source::dcgm {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::dcgm
