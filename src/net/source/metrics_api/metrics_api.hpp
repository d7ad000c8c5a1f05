// Trigger type metrics-api: one number out of any HTTP API's answer, as KEDA's scaler of that name.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/description.hpp"

namespace gputide::source::metrics_api {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

}  // namespace gputide::source::metrics_api
