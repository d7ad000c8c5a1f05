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

// Returns the error of a response that is not 2xx, with the service's Retry-After in retry_after_ms.  Class auth: a repetition
// with a new token may succeed.  `url` gives the host in the text; `role` is the role that the request needs, "": derived from the
// host.
std::optional<error> service_refusal(const http::answer& answer, const std::string& url, std::string_view role = {});

}  // namespace gputide::auth
