// Types external and external-push: other people's external scalers for KEDA, asked as KEDA asks them.
#pragma once

#include "base/result.hpp"
#include "source/description.hpp"

namespace gputide::source::external {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

}  // namespace gputide::source::external
