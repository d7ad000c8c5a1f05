// Errors of Azure's metric endpoints: class, text, remedy, and whether to drop the token.  Pure.  Parses both formats,
// Prometheus' {status, errorType, error} and ARM's {"error": {code, message, innererror}}, with or without the outer object.
#pragma once

#include "base/error.hpp"
#include "base/status.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

// Entra's error numbers: meaning and remedy.  All texts and classes for these numbers come from this table.  Microsoft may change
// the numbers, so an unknown number is classified by the OAuth error code and the HTTP status.

struct aadsts_code {
    std::int64_t number;
    error_class kind;
    std::string_view meaning;
    std::string_view fix;  // empty: the only remedy is to wait
};

// Returns null if the number is not in the table.
const aadsts_code* find_aadsts(std::int64_t number);

struct service_failure {
    error why;                // error_class: auth config forbidden permanent throttled timeout transient security
    bool drop_token = false;  // a repetition with a new token may succeed
    std::optional<std::int64_t> retry_after_ms;  // from the server's Retry-After
};

struct service_context {
    std::string url;                        // of the request; gives the host in the text and the recommended role
    std::int64_t wall_ms = 0;               // for Retry-After dates and retry_at_ms
    std::vector<std::string_view> secrets;  // values that no text may contain (the token)
    std::string_view role;                  // role that the request needs; "": derived from the endpoint's host
};

// Returns nullopt for a 2xx response: the source parses its body.
std::optional<service_failure> judge_service_answer(const http::answer& answer, const service_context& about);

// Returns the error for a caller without a clock, with the service's Retry-After in retry_after_ms.  `url` gives the host in the
// text and, without `role`, the recommended role.
std::optional<error> service_refusal(const http::answer& answer, const std::string& url, std::string_view role = {});

}  // namespace gputide::auth
