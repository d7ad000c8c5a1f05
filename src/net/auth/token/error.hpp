// Errors of a token endpoint: class, text, fields, and whether to repeat the request.  Precedence: redirects (3xx), AADSTS
// numbers, the OAuth error code, the HTTP status.  Pure.
#pragma once

#include "base/error.hpp"
#include "http/retry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::auth {

// Describes the request in messages.
struct token_context {
    std::string endpoint;              // URL of the token endpoint, without query
    std::string asked_for;             // "client <id>, scope <scope>"
    std::vector<secret_text> secrets;  // values that no text may contain: assertion, client secret
};

// Tells whether repeating the request may succeed: after statuses 408 429 500 502 503 504, network faults except a failed TLS
// verification, and error bodies of class transient or throttled with any status.  Not after an AADSTS number that requires a
// change or a longer wait (propagation, a stale assertion, 50196).
bool token_again(const http::answer& answer);

// Returns the error of an exchange without a 2xx response.  wall_ms: the current time, for retry_at_ms.
error judge_token_failure(const http::retried& retried, const token_context& about, std::int64_t wall_ms);

// Adds retry information: number of attempts, the server's Retry-After (retry_at_ms), the caller's deadline.
void add_peer_wait(error& failure, const http::retried& retried, std::int64_t wall_ms);

// Returns the error of an incomplete response, for any endpoint: "cannot connect to ...".
error_ptr transport_failure(const http::answer& answer, const std::string& endpoint);

// Removes the secrets from the text and the fields.
void redact_error(error& failure, const std::vector<secret_text>& secrets);

}  // namespace gputide::auth
