// One authenticated question over HTTP: token, request, a safe repeat, one renewal after a refused token.
// Shared by all who ask: sources, the cluster, the writer of a node pool.  In: a request as an authenticator prepared it; out: the
// answer and what was sent, or the error on the way there.  What the answer means is the business of who asked.
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
    std::int64_t retry_at_ms = 0;  // where the peer asked for more patience than there was
};

// Which answers are worth one more try within the same call: faults and statuses that pass, but no timeout and no query
// that the server itself gave up as too heavy.
http::retry_rule one_safe_repeat();

// `authenticator` is copied.  On the loop's thread; `done` never runs inside this call.
std::shared_ptr<http::exchange> send_question(const std::shared_ptr<http::loop>& loop,
                                              const auth::authenticator& authenticator, result<http::request> request,
                                              std::int64_t deadline_ms, std::function<void(result<exchanged>)> done,
                                              http::retry_rule again = one_safe_repeat());

// An error as it may leave the library: without anything that the request carried in its headers, with `asker`, a trigger
// say, as its place where it has none, the address (no query, no user information) in front, and retry_at_ms from what the peer asked.
error outward_error(error error, std::string_view asker, const http::request& sent, std::int64_t wall_ms,
                    std::int64_t retry_at_ms);

}  // namespace gputide::auth
