// Repeats a request if that is safe and useful.  A rule says after which responses, after which delay, and how often.  Delays
// follow Azure's SDKs (azcore's formula).
#pragma once

#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "wire/errors.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace gputide::http {

struct retry_rule {
    std::int32_t max_retries = 3;  // after the first attempt
    std::int64_t base_ms = 800;    // delay before retry k: base × (2^k − 1) × jitter, jitter in [0.8, 1.3)
    std::int64_t cap_ms = 60'000;  // limit after the jitter
    std::function<bool(const answer&)> again;  // tells whether to repeat; default: again_by_status()
};

retry_rule no_repeat();

// Tells whether to repeat: after temporary statuses (wire/errors.hpp) and the faults resolve, connect, reset and timeout; never
// after tls_verify.
bool again_by_status(const answer& reply);

// Returns the delay before retry 1, 2, ...; uniform in [0, 1) is the jitter.
std::int64_t computed_delay_ms(const retry_rule& rule, std::int32_t retry, double uniform);

// The time of the decision what to do after `attempts` requests, the last of which returned `reply`.  Pure.
struct moment {
    std::int64_t steady_ms = 0, wall_ms = 0;
    std::int64_t deadline_ms = 0;  // on the steady clock
};
struct next_step {
    std::int64_t wait_ms = -1;     // delay before the next attempt; -1: none
    std::int64_t retry_at_ms = 0;  // as in `retried`
    bool past_deadline = false;
};
next_step after_answer(const retry_rule& rule, const answer& reply, std::int32_t attempts, const moment& now,
                       double uniform);

// The last response and the number of attempts.  retry_at_ms: set if the server requests a longer wait than the rule or the
// deadline allows, otherwise 0.  past_deadline: a further attempt was due, but its delay would have passed the deadline.
struct retried {
    answer last;
    std::int32_t attempts = 0;
    std::int64_t retry_at_ms = 0;
    bool past_deadline = false;
};

std::shared_ptr<exchange> send_with_retry(loop& runs_on, outgoing request, retry_rule rule, std::int64_t deadline_ms,
                                          callback<void(retried)> done);

}  // namespace gputide::http
