// Turns a transport fault or an unexpected HTTP status into an error with a remedy.  Pure.
#pragma once

#include "base/error.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <string>

namespace gputide::http {

// Returns the fault and the remedy, without the address, which the caller adds.  Requires answer.arrived() to be false.
error fault_error(const answer& answer);

bool is_redirect(std::int32_t http_status);

// Returns the meaning of an HTTP status if the body does not say more.  401 auth, 403 forbidden, 429 and 529 throttled,
// 408 and 5xx unavailable, the rest of 4xx rejected, anything else protocol; 408, 429, 500, 502, 503, 504 and 529 are
// retryable.
class_meaning meaning_of_status(std::int32_t http_status);

// Returns an error of that class with the status' own meaning: for http, api and server_status.
error fail_http(error_class kind, std::int32_t http_status, std::string message);

}  // namespace gputide::http
