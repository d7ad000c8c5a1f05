// What an Azure metric endpoint says when it does not answer with data: class, text, whom to ask.
// Comes in: a whole answer; goes out: an error, and whether the token is to be dropped.  Pure.
// Reads both shapes, Prometheus' {status, errorType, error} and ARM's {"error": {code, message, innererror}}, wrapped or not.
#pragma once

#include "base/error.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

struct service_failure {
    error why;                // error_class: auth config forbidden permanent throttled timeout transient security
    bool drop_token = false;  // one repeat with a new token is worth it
    std::optional<std::int64_t> retry_after_ms;  // as the peer asked
};

struct service_context {
    std::string url;                        // asked; names the host in the text and chooses the role to advise
    std::int64_t wall_ms = 0;               // for Retry-After dates and retry_at_ms
    std::vector<std::string_view> secrets;  // values that no text may hold (the token)
    std::string_view role;                  // that the request needs; "": as the endpoint's host tells
};

// Nothing for a 2xx answer: its body is for the source's parser.
std::optional<service_failure> judge_service_answer(const http::answer& answer, const service_context& about);

// The same where nobody has a clock: its error, with the delay that the service asks for in field retry_after_ms.  `url` names
// the endpoint in the text and, where no `role` is given, chooses the one to advise.
std::optional<error> service_refusal(const http::answer& answer, const std::string& url, std::string_view role = {});

}  // namespace gputide::auth
