// The trigger type azure-monitor: metrics of Azure resources over the resource manager, or many at once over the batch
// endpoint.
#pragma once

#include "source/source.hpp"

namespace gputide::source::azure_monitor {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::azure_monitor
