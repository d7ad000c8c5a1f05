// Trigger type nvml: the GPUs of this very machine, asked through the NVIDIA driver, without an exporter or a Prometheus.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/description.hpp"
#include "source/gpu/reader.hpp"

#include <functional>
#include <memory>

namespace gputide::source::nvml {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

// The same with a reader of somebody's own, taken when the source is opened.
result<description> describe_on(const std::function<std::shared_ptr<reader>()>& reader, const config::trigger& trigger,
                                const config::trigger_rules& rules, const vendor& of = nvidia);

}  // namespace gputide::source::nvml
