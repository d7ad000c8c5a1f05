// One authenticated question to a metric endpoint: token, request, a safe repeat, one renewal after a refused token.
// Shared by all sources that speak HTTP.  In: a request as an authenticator prepared it; out: the answer and what was sent,
// or the error on the way there.  What the answer means is the source's business.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"
#include "http/retry.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace gputide::source {

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

// Runs `what` once on the loop, soon, and never inside this call; for sources that ask no network.
std::shared_ptr<http::exchange> run_soon(const std::shared_ptr<http::loop>& loop, std::function<void()> what);

// An error as it may leave the library: without anything that the request carried in its headers, with the trigger as its
// place, the address (no query, no user information) in front, and retry_at_ms from what the peer asked.
error outward_error(error error, std::string_view trigger, const http::request& sent, std::int64_t wall_ms,
                    std::int64_t retry_at_ms);

}  // namespace gputide::source
