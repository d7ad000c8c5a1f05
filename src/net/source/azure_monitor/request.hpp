// Settings and a time → the HTTP request, without authentication.  Pure.
//   resource manager  GET {base}{resource}/providers/Microsoft.Insights/metrics?metricnames=..&timespan=<start>/<end>&..
//   batch             POST {base}/subscriptions/{id}/metrics:getBatch?..&starttime=..&endtime=.., {"resourceids":[..]}
// The points' interval is left to the service (one minute), as KEDA leaves it.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/azure_monitor/settings.hpp"

#include <cstdint>
#include <string>

namespace gputide::source::azure_monitor {

// now 08:53:20, span 5 min → 2025-10-09T08:48:20Z/2025-10-09T08:53:20Z.
result<http::request> build_request(const settings& settings, std::int64_t now_ms);

// Everything that build_request() depends on but the time, one line each, and how the answer becomes a number.
std::string request_key(const settings& settings);

}  // namespace gputide::source::azure_monitor
