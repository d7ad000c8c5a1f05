// Trigger type dcgm: GPU metrics straight from dcgm-exporter pages (or any other /metrics page), without a Prometheus between.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/source.hpp"

#include <memory>

namespace gputide::source::dcgm {

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings);

}  // namespace gputide::source::dcgm
