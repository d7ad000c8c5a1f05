// Checks the envelope of a response: HTTP status, then JSON, then the API's own `status`, in this order.
// (prometheus/prometheus docs/querying/api.md; an `error` status with 200 is an error as well.)  Pure.
#pragma once

#include "base/error.hpp"
#include "wire/message.hpp"

#include <optional>
#include <string_view>

namespace gputide::formats::query_api {

// Returns why there is no body to parse: no response, a redirect, a status outside 200..299, an unsupported encoding, a
// body over the limit.  Nothing: parse it.  error_class is one of encoding, redirect, api, http, limit or the
// transport's fault name.
std::optional<error> refusal(const http::answer& answer);

// Returns the error for {"status":"error","errorType":type,"error":message} with that HTTP status.
error api_error(std::int32_t http_status, std::string_view type, std::string_view message);

error not_json(const http::response& response, std::string_view why);
error_ptr wrong_shape(std::string_view what);  // "data.resultType: expected a string"
error_ptr over_limit(std::string_view what);

}  // namespace gputide::formats::query_api
