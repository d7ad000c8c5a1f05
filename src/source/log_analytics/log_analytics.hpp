// The trigger type azure-log-analytics: a KQL query over a Log Analytics workspace, Container Insights included.
#pragma once

#include "source/source.hpp"

namespace gputide::source::log_analytics {

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings);

}  // namespace gputide::source::log_analytics
