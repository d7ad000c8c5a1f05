// What a token endpoint says when it gives no token: class, text, fields, and whether to send the same request again.
// The order: 3xx; the AADSTS numbers; the OAuth error word; the HTTP status.  Pure.
#pragma once

#include "base/error.hpp"
#include "http/retry.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

// What texts say about the request, and what they must not say.
struct token_context {
    std::string endpoint;              // URL of the token endpoint, without query
    std::string asked_for;             // "client <id>, scope <scope>"
    std::vector<secret_text> secrets;  // values that no text may hold: assertion, client secret
};

// Worth another attempt with the same request?  Statuses 408 429 500 502 503 504, network faults but not TLS verification,
// and error bodies of class transient or throttled whatever their status; never an AADSTS number that asks for a change or
// for patience (propagation, a stale assertion, 50196).
bool token_again(const http::answer& answer);

// The error of an exchange that did not end with a 2xx answer.  wall_ms: now, for retry_at_ms.
error judge_token_failure(const http::retried& retried, const token_context& about, std::int64_t wall_ms);

// What waiting has to do with it: attempts made, the peer's wish (retry_at_ms), the caller's deadline.
void add_patience(error& failure, const http::retried& retried, std::int64_t wall_ms);

// The fault of an answer that never arrived whole, for every kind of endpoint: "cannot connect to ...".
error transport_failure(const http::answer& answer, const std::string& endpoint);

// The text without the secrets, the fields too.
void redact_error(error& failure, const std::vector<secret_text>& secrets);

}  // namespace gputide::auth
