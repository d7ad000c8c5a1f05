// The breakers of one endpoint.  A failure counts for every sender that it would affect:
//   all senders  resolve, connect, reset, 502, 503, 504
//   one sender   TLS, time limits, 429: a wrong CA, a timeout of 1 ms and an exhausted quota affect their owner only
// A sender is the set of requests with the same credential, TLS settings and time limits (sender.hpp).  Pure; times on
// the steady clock.
#pragma once

#include "http/message.hpp"
#include "http/middle/breaker.hpp"

#include <cstddef>
#include <unordered_map>

namespace gputide::http {

class circuits {
  public:
    enum class passage {
        free,     // send it, then call judge() or given_up()
        waiting,  // a trial of the endpoint is under way
        held,     // a breaker is open: held_answer()
    };
    passage admit(const request& request, std::int64_t now_ms);

    // Returns whether admit() would hold the request back; takes no trial.
    bool holds(const request& request, std::int64_t now_ms) const;

    // Returns the last failure of the breaker that is open, with the time until its next trial.
    answer held_answer(const request& request, std::int64_t now_ms) const;

    // Records a response; uniform as in breaker::failed().  True: the response is a failure.
    bool judge(const request& request, const answer& answer, const breaker_rule& rule, std::int64_t now_ms,
               std::int64_t wall_ms, double uniform);
    void given_up(const request& request);  // the result is unknown

    const breaker& of_everybody() const { return everybody_.breaker; }
    std::size_t failing_senders() const { return senders_.size(); }
    bool idle(std::int64_t now_ms) const;  // no state to keep

  private:
    struct guarded {
        http::breaker breaker;
        answer last_failure;  // without its body
    };
    // Only while requests of this sender fail.
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
    std::size_t forget_at_ = 64;  // above this number of senders, the idle ones are removed
};

}  // namespace gputide::http
