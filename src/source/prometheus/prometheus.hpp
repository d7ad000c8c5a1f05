// The prometheus trigger as a source.
#pragma once

#include "base/result.hpp"
#include "source/source.hpp"

#include <memory>

namespace gputide::source::prometheus {

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings);

}  // namespace gputide::source::prometheus
