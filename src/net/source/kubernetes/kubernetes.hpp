// Trigger type kubernetes: a value out of a cluster's own metrics APIs, as the HPA reads them.
#pragma once

#include "source/source.hpp"

namespace gputide::source::kubernetes {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::kubernetes
