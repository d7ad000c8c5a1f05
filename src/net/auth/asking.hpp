// One authenticated request over HTTP: token, request, a safe retry, one renewal after a refused token.
// Used by all senders: sources, the cluster, the writer of a node pool.  In: a request prepared by an authenticator;
// out: the response and the request as sent, or an error.  The caller interprets the response.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"
#include "http/retry.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace gputide::auth {

struct exchanged {
    http::outgoing sent;  // with its token: for redaction, never for a message
    http::answer answer;
    std::int64_t retry_at_ms = 0;  // set if the peer asked for a longer wait than allowed
};

// Tells whether a failure is worth another attempt within the call: temporary faults and statuses, but not a timeout or
// a query that the server rejected as too expensive.
http::retry_rule one_safe_repeat();

// Copies `authenticator`.  On the loop's thread; `done` never runs inside this call.
std::shared_ptr<http::exchange> send_question(const std::shared_ptr<http::loop>& loop,
                                              const auth::authenticator& authenticator, result<http::request> request,
                                              std::int64_t deadline_ms, std::function<void(result<exchanged>)> done,
                                              http::retry_rule again = one_safe_repeat());

// Returns the error as it may leave the library: without any request header value, with `asker` (such as a trigger) as
// its place if it has none, with the address (no query, no user information) in front, and with retry_at_ms from the
// peer's Retry-After.
error outward_error(error error, std::string_view asker, const http::request& sent, std::int64_t wall_ms,
                    std::int64_t retry_at_ms);

}  // namespace gputide::auth
