// The trigger type azure-log-analytics: a KQL query over a Log Analytics workspace, Container Insights included.
#pragma once

#include "source/source.hpp"

namespace gputide::source::log_analytics {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::log_analytics
