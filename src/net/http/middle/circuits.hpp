// The circuit breakers of one endpoint.  A failure counts for all senders or only for its own sender:
//   all senders  resolve, connect, reset, 502, 503, 504
//   one sender   TLS, time limits, 429: a wrong CA, a timeout of 1 ms or an exhausted quota affects only its owner
// A sender is the set of requests with the same credential, TLS settings and time limits (sharing.hpp).  Pure; times are on the
// steady clock.
#pragma once

#include "http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace gputide::http {

// A circuit breaker: decides whether requests to an endpoint are sent.  Pure; times are on the steady clock.
//   closed     requests are sent; `failures` consecutive failures, or a Retry-After, open it
//   open       requests are refused until a set time, then it becomes half open
//   half open  one request is sent as a trial: success closes it, failure opens it for twice as long as before
// Retry-After is followed up to one hour.

struct breaker_rule {
    std::int32_t failures = 5;
    std::int64_t base_ms = 1'000;
    std::int64_t cap_ms = 60'000;
};

enum class circuit : std::int32_t { closed = 0, open = 1, half_open = 2 };

const char* circuit_name(circuit state) noexcept;  // "half_open"

class breaker {
  public:
    // Tells whether the request may be sent.  After a trial the caller must call one of the four functions below.
    bool admit(std::int64_t now_ms);

    void succeeded();
    // uniform in [0, 1): scales the wait by 0.9 to 1.1, so that trials of different endpoints do not coincide.
    void failed(const breaker_rule& rule, std::int64_t now_ms, double uniform);
    void note_asked_wait(std::int64_t until_ms, std::int64_t now_ms);
    void given_up();  // the result is unknown

    circuit state() const { return state_; }
    std::int32_t failures() const { return failures_; }
    std::int64_t until_ms() const { return until_ms_; }  // while open
    std::uint64_t openings() const { return openings_; }

  private:
    void open(std::int64_t until_ms);

    circuit state_ = circuit::closed;
    bool trial_under_way_ = false;
    std::int32_t failures_ = 0;  // consecutive
    std::int32_t trials_ = 0;    // consecutive failed trials
    std::int64_t until_ms_ = 0;
    std::uint64_t openings_ = 0;
};

class circuits {
  public:
    enum class passage {
        free,     // send it, then call judge() or given_up()
        waiting,  // a trial of the endpoint is in progress
        held,     // a breaker is open: use held_answer()
    };
    passage admit(const request& request, std::int64_t now_ms);

    // Tells whether admit() would refuse the request; never starts a trial.
    bool holds(const request& request, std::int64_t now_ms) const;

    // Returns the last failure recorded by the open breaker, with the time until its next trial.
    answer held_answer(const request& request, std::int64_t now_ms) const;

    // Records a response; uniform as in breaker::failed().  Returns true if the response is a failure.
    bool judge(const request& request, const answer& answer, const breaker_rule& rule, std::int64_t now_ms,
               std::int64_t wall_ms, double uniform);
    void given_up(const request& request);  // the result is unknown

    const breaker& of_all_senders() const { return all_senders_.breaker; }
    std::size_t failing_senders() const { return senders_.size(); }
    bool idle(std::int64_t now_ms) const;  // no state to keep

  private:
    struct guarded {
        http::breaker breaker;
        answer last_failure;  // without its body
    };
    // Exists only while requests of this sender fail.
    struct sender {
        outgoing example;
        guarded circuit;
        std::int64_t seen_ms = 0;
    };
    using sender_table = std::unordered_multimap<std::size_t, sender>;

    sender& joined(const request& request, std::int64_t now_ms);
    void forget_silent(std::int64_t now_ms);

    guarded all_senders_;
    sender_table senders_;
    std::size_t forget_at_ = 64;  // above this number of senders, idle ones are removed
};

}  // namespace gputide::http
