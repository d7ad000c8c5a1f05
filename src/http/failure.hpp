// A transport fault, or an HTTP status that is no answer, as an error that a person can act on.  Pure.
#pragma once

#include "base/error.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <string>

namespace gputide::http {

// Only where answer.arrived() is false: what went wrong and the remedy, without the address, which who asked puts in front.
error fault_error(const answer& answer);

bool is_redirect(std::int32_t http_status);

// What an HTTP status means where the body says nothing better.  401 auth, 403 forbidden, 429 and 529 throttled, 408 and 5xx
// unavailable, the rest of 4xx rejected, anything else protocol; 408, 429, 500, 502, 503, 504 and 529 may pass.
class_meaning meaning_of_status(std::int32_t http_status);

// An error of that class with the status' own meaning: for http, api and server_status.
error fail_http(error_class kind, std::int32_t http_status, std::string message);

}  // namespace gputide::http
