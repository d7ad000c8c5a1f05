// Sends one authenticated request over HTTP: token, request, a safe retry, and one new token after a rejected one.  Used by
// sources, the cluster client and the writer of node pools.  Input: a request prepared by an authenticator.  Returns the response
// and the request as sent, or an error.  The caller interprets the response.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"
#include "http/retry.hpp"

#include <cstdint>
#include <memory>

namespace gputide::auth {

struct exchanged {
    http::outgoing sent;  // includes its token: for redaction, never for a message
    http::answer answer;
    std::int64_t retry_at_ms = 0;  // set if the server's Retry-After is longer than the call may wait
};

// Returns the rule for one repetition within the call: after temporary faults and statuses, but not after a timeout or a query
// that the server rejected as too expensive.
http::retry_rule one_safe_repeat();

// Copies `authenticator`.  Must be called on the loop's thread; `done` never runs inside this call.
std::shared_ptr<http::exchange> send_authenticated(const std::shared_ptr<http::loop>& loop,
                                                   const auth::authenticator& authenticator,
                                                   result<http::request> request, std::int64_t deadline_ms,
                                                   callback<void(result<exchanged>)> done,
                                                   http::retry_rule again = one_safe_repeat());

// Returns the error for the host program, without any request header's value.  Adds the address in front (no query, no user
// information), the place `asker` (such as a trigger) if it has none, and retry_at_ms from the server's Retry-After.
error outward_error(error error, std::string_view asker, const http::request& sent, std::int64_t wall_ms,
                    std::int64_t retry_at_ms);

}  // namespace gputide::auth
