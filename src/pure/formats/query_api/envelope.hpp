// Checks the envelope of a response in this order: HTTP status, JSON, the API's own `status`. (prometheus/prometheus
// docs/querying/api.md; an `error` status with HTTP 200 is an error.)  Pure.
#pragma once

#include "base/error.hpp"
#include "wire/message.hpp"

#include <optional>
#include <string_view>

namespace gputide::formats::query_api {

// Returns why the body cannot be parsed: no response, a redirect, a status outside 200..299, an unsupported encoding, a body
// over the limit.  Nothing: parse the body. error_class is encoding, redirect, api, http, limit or the transport's class.
std::optional<error> refusal(const http::answer& answer);

// Returns the error for {"status":"error","errorType":type,"error":message} with that HTTP status.
error api_error(std::int32_t http_status, std::string_view type, std::string_view message);

error not_json(const http::response& response, std::string_view why);
error_ptr wrong_shape(std::string_view what);  // "data.resultType: expected a string"
error_ptr over_limit(std::string_view what);

}  // namespace gputide::formats::query_api
