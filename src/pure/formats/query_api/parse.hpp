// Parses a Prometheus HTTP API response into a reading or an error.  Pure; checks every byte.
// Grammar: prometheus/prometheus docs/querying/api.md, web/api/v1/json_codec.go.
//
// Two parsers. parse() checks every byte of the document and returns all data. parse_numbers() returns the part that a
// trigger needs, twice as fast: it reads the usual form of instant query responses in one pass and leaves anything else
// (another result type, an unknown member, any error) to parse().  It returns no number that parse() would not return; the
// only difference is that it ignores escapes inside label texts.
#pragma once

#include "base/error.hpp"
#include "base/result.hpp"
#include "formats/reduce.hpp"
#include "wire/message.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gputide::formats::query_api {

// Checks the envelope of a response in this order: HTTP status, JSON, the API's own `status`. (prometheus/prometheus
// docs/querying/api.md; an `error` status with HTTP 200 is an error.)  Pure.

// Returns why the body cannot be parsed: no response, a redirect, a status outside 200..299, an unsupported encoding, a body
// over the limit.  Nothing: parse the body. error_class is encoding, redirect, api, http, limit or the transport's class.
std::optional<error> refusal(const http::answer& answer);

// Returns the error for {"status":"error","errorType":type,"error":message} with that HTTP status.
error api_error(std::int32_t http_status, std::string_view type, std::string_view message);

error not_json(const http::response& response, std::string_view why);
error_ptr wrong_shape(std::string_view what);  // "data.resultType: expected a string"
error_ptr over_limit(std::string_view what);

result<reading> parse(const http::answer& answer);
result<numbers> parse_numbers(const http::answer& answer);

// Converts Unix seconds to milliseconds, rounded half up: 1795224311.1239 → 1795224311124.  Nothing outside int64.
std::optional<std::int64_t> milliseconds(double seconds);

}  // namespace gputide::formats::query_api
