// Series → one sample, by the rules of an azure-monitor trigger.  Pure.
//   no series with a value   no_data        (a point without the aggregation is no 0)
//   one series               its newest value
//   several series           gputide.io/reduce over those that have a value; without it ambiguous
//   resources missing        partial, unless gputide.io/accept-partial
#pragma once

#include "source/azure_monitor/settings.hpp"
#include "source/source.hpp"

namespace gputide::source::azure_monitor {

fetched judge(const reading& reading, const settings& settings);

}  // namespace gputide::source::azure_monitor
