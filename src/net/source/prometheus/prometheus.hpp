// The prometheus trigger as a source.
#pragma once

#include "base/result.hpp"
#include "source/source.hpp"

namespace gputide::source::prometheus {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::prometheus
