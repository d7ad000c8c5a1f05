// The prometheus trigger as a source.
#pragma once

#include "base/result.hpp"
#include "source/description.hpp"

namespace gputide::source::prometheus {

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings);

}  // namespace gputide::source::prometheus
