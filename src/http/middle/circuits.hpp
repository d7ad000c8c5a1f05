// The breakers of one endpoint.  A failure counts for those whom it would meet as well:
//   everybody    resolve, connect, reset, 502, 503, 504
//   the sender   TLS, time limits, 429: a wrong CA, a timeout of 1 ms and a quota that is spent are their owner's own
// A sender is requests with the same credential, TLS settings and time limits (sender.hpp).  Pure; times on the steady clock.
#pragma once

#include "http/message.hpp"
#include "http/middle/breaker.hpp"

#include <cstddef>
#include <unordered_map>

namespace gputide::http {

class circuits {
  public:
    enum class passage {
        free,     // send it, and say how it ended: judge() or given_up()
        waiting,  // a trial of the endpoint is under way
        held,     // a breaker is open: held_answer()
    };
    passage admit(const request& request, std::int64_t now_ms);

    // No trial is taken: whether admit() would hold it back.
    bool holds(const request& request, std::int64_t now_ms) const;

    // The last failure of the breaker that holds it, with the time until its next trial.
    answer held_answer(const request& request, std::int64_t now_ms) const;

    // uniform as breaker::failed() takes it.  True: the answer is a failure.
    bool judge(const request& request, const answer& answer, const breaker_rule& rule, std::int64_t now_ms,
               std::int64_t wall_ms, double uniform);
    void given_up(const request& request);  // nobody knows how it would have ended

    const breaker& of_everybody() const { return everybody_.breaker; }
    std::size_t failing_senders() const { return senders_.size(); }
    bool idle(std::int64_t now_ms) const;  // nothing to remember

  private:
    struct guarded {
        http::breaker breaker;
        answer last_failure;  // without its body
    };
    // While its own requests fail.
    struct sender {
        outgoing example;
        guarded circuit;
        std::int64_t seen_ms = 0;
    };
    using sender_table = std::unordered_multimap<std::size_t, sender>;

    sender& joined(const request& request, std::int64_t now_ms);
    void forget_silent(std::int64_t now_ms);

    guarded everybody_;
    sender_table senders_;
    std::size_t forget_at_ = 64;  // senders, then the silent ones go
};

}  // namespace gputide::http
