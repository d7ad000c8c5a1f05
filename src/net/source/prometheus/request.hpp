// Settings and a time → the HTTP request, without authentication.  Pure.
// GET <serverAddress>/api/v1/query?query=..&time=..[&namespace=..][&extra..] (kedacore/keda pkg/scalers/prometheus_scaler.go).
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/prometheus/settings.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::source::prometheus {

// A URL longer than this becomes a POST form (proxies commonly cut at 8 KiB); the strict profile sends GET
// unless gputide.io/http-method asks for POST.
inline constexpr std::size_t longest_url_bytes = 4'096;

// `query` is the trigger's own or its age query.  now_ms as RFC 3339 in whole seconds.
//   default  one '/' between address and path; the address keeps its path prefix and its query string; all is escaped
//   strict   plain concatenation, namespace as it stands
result<http::request> build_request(const query_settings& settings, std::string_view query, std::int64_t now_ms);

// GET <serverAddress>/api/v1/query_range?query=..&start=..&end=..&step=..: the trigger's own query over a range, in seconds
// with three decimals.  At most most_range_points steps; the server refuses more.
inline constexpr std::int64_t most_range_points = 11'000;
result<http::request> build_range_request(const query_settings& settings, const time_range& over);

// Everything that build_request() depends on but the time, one line each.
std::string request_key(const query_settings& settings);

}  // namespace gputide::source::prometheus
