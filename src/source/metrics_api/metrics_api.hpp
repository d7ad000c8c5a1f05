// Trigger type metrics-api: one number out of any HTTP API's answer, as KEDA's scaler of that name.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/source.hpp"

#include <memory>

namespace gputide::source::metrics_api {

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings);

}  // namespace gputide::source::metrics_api
