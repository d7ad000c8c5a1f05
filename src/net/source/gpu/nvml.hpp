// Trigger type nvml: the GPUs of this very machine, asked through the NVIDIA driver, without an exporter or a Prometheus.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/gpu/reader.hpp"
#include "source/source.hpp"

#include <functional>
#include <memory>

namespace gputide::source::nvml {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

// The same for the GPUs of a vendor.
result<description> describe_gpus(const config::trigger& trigger, const config::trigger_rules& rules,
                                  const vendor& of = nvidia);

// Opens it on the reader that the function gives.
result<std::shared_ptr<metric_source>> open_on(const std::function<std::shared_ptr<reader>()>& reader,
                                               const description& described, const services& services);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::nvml
