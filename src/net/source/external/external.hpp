// Types external and external-push: other people's external scalers for KEDA, asked as KEDA asks them.
#pragma once

#include "base/result.hpp"
#include "source/source.hpp"

namespace gputide::source::external {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::external
