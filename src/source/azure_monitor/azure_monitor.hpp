// The trigger type azure-monitor: metrics of Azure resources over the resource manager, or many at once over the batch
// endpoint.
#pragma once

#include "source/source.hpp"

namespace gputide::source::azure_monitor {

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings);

}  // namespace gputide::source::azure_monitor
