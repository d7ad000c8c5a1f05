// The trigger type azure-monitor: metrics of Azure resources over the resource manager, or many at once over the batch
// endpoint.
#pragma once

#include "source/description.hpp"

namespace gputide::source::azure_monitor {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

}  // namespace gputide::source::azure_monitor
