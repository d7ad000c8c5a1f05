// The trigger type azure-log-analytics: a KQL query over a Log Analytics workspace, Container Insights included.
#pragma once

#include "source/description.hpp"

namespace gputide::source::log_analytics {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

}  // namespace gputide::source::log_analytics
