// Bytes of a metrics answer → the series of one metric, or the reason why there are none.  Pure.
// {"value":[{"name":{"value"},"errorCode","timeseries":[{"metadatavalues":[..],"data":[{"timeStamp","average"?}]}]}]}
//
// A series keeps the points that have the asked aggregation, in the order of their times; null and absent are alike, 0 is a
// value.  Names of metrics and ids of resources compare without case.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/azure_monitor/settings.hpp"
#include "source/source.hpp"

#include <string>
#include <vector>

namespace gputide::source::azure_monitor {

// One resource.  No metric, no series and no points are class no_data, another metric than was asked for is protocol, the
// metric's own errorCode is peer.
result<reading> parse(const http::answer& answer, const settings& settings);

// Many resources: each series has the label `resourceid`.  A resource that did not answer, or with an error of its own, is
// in `missing` and makes the reading partial; the others keep their values.
struct batch_answer {
    source::reading reading;
    std::vector<std::string> missing;  // as in by.resources
};
result<batch_answer> parse_batch(const http::answer& answer, const settings& settings);

}  // namespace gputide::source::azure_monitor
