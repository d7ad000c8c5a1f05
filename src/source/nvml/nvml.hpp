// Trigger type nvml: the GPUs of this very machine, asked through the NVIDIA driver, without an exporter or a Prometheus.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/nvml/driver.hpp"
#include "source/source.hpp"

#include <memory>

namespace gputide::source::nvml {

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings);

// The same with a driver of somebody's own.
result<std::shared_ptr<metric_source>> open_on(std::shared_ptr<driver> gpus, const config::trigger& from,
                                               const config::trigger_rules& rules, const services& with,
                                               config::report* findings);

}  // namespace gputide::source::nvml
