// Settings → the HTTP request, without authentication.  Pure; the service's own clock counts back from now.
// POST {base}/v1/workspaces/{id}/query, Content-Type: application/json, {"query":"..","timespan":"PT10M"}.
#pragma once

#include "http/message.hpp"
#include "source/log_analytics/settings.hpp"

#include <string>

namespace gputide::source::log_analytics {

// `Prefer: wait=N` lets the service stop when nobody waits any more; 600 s is its own limit.  KEDA sends none.
http::request build_request(const settings& settings);

// Everything that build_request() depends on, and how the answer becomes a number.
std::string request_key(const settings& settings);

}  // namespace gputide::source::log_analytics
