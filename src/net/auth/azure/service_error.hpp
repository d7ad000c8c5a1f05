// Errors of Azure's metric endpoints: class, text, remedy.
// In: a complete response; out: an error, and whether to drop the token.  Pure.
// Reads both formats, Prometheus' {status, errorType, error} and ARM's {"error": {code, message, innererror}}, wrapped
// or not.
#pragma once

#include "base/error.hpp"
#include "base/error_class.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

// Entra's error numbers: what each means to an operator, and what to do.
// One table; texts and classes come from it only.  Microsoft may change the numbers, so an unknown one is classified by
// the OAuth error code and the HTTP status.

struct aadsts_code {
    std::int64_t number;
    error_class kind;
    std::string_view meaning;
    std::string_view fix;  // may be empty: waiting is the only remedy
};

// Returns null if the number is not in the table.
const aadsts_code* find_aadsts(std::int64_t number);

struct service_failure {
    error why;                // error_class: auth config forbidden permanent throttled timeout transient security
    bool drop_token = false;  // one repeat with a new token may help
    std::optional<std::int64_t> retry_after_ms;  // as the peer asked
};

struct service_context {
    std::string url;           // of the request; names the host in the text and selects the role to recommend
    std::int64_t wall_ms = 0;  // for Retry-After dates and retry_at_ms
    std::vector<std::string_view> secrets;  // values that no text may hold (the token)
    std::string_view role;                  // required by the request; "": as the endpoint's host implies
};

// Returns nothing for a 2xx response: the source parses its body.
std::optional<service_failure> judge_service_answer(const http::answer& answer, const service_context& about);

// Returns the error for a caller without a clock, with the service's Retry-After in field retry_after_ms.  `url` names
// the endpoint in the text and, if there is no `role`, selects the one to recommend.
std::optional<error> service_refusal(const http::answer& answer, const std::string& url, std::string_view role = {});

}  // namespace gputide::auth
