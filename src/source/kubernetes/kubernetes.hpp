// Trigger type kubernetes: a value out of a cluster's own metrics APIs, as the HPA reads them.
#pragma once

#include "source/source.hpp"

#include <memory>

namespace gputide::source::kubernetes {

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings);

}  // namespace gputide::source::kubernetes
