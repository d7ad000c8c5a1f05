// Middleware: limits the requests in flight per endpoint (scheme, host and port) and in total, refuses requests to failing
// endpoints, and sends one of several equal requests.  Requests above a limit wait in a queue until their deadline; a dead
// endpoint delays only its own requests.
#pragma once

#include "http/loop.hpp"
#include "http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gputide::http {

// The identity of a request's sender: what two requests must have in common to share results.  Each comparison includes headers,
// TLS settings and signing keys by value, so that a response obtained with one credential is never given to another.

// Compares also the time limits: equal requests would fail alike.
struct same_sender {
    using is_transparent = void;
    bool operator()(const request& a, const request& b) const;
};
struct sender_hash {
    using is_transparent = void;
    std::size_t operator()(const request& request) const;
};

// Compares also the request itself.
struct same_request {
    using is_transparent = void;
    bool operator()(const request& a, const request& b) const;
};
struct request_hash {
    using is_transparent = void;
    std::size_t operator()(const request& request) const;
};

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

// The circuit breakers of one endpoint.  A failure counts for all senders or only for its own sender:
//   all senders  resolve, connect, reset, 502, 503, 504
//   one sender   TLS, time limits, 429: a wrong CA, a timeout of 1 ms or an exhausted quota affects only its owner
// A sender is the set of requests with the same credential, TLS settings and time limits (same_sender).  Pure; times are on the
// steady clock.
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
        guarded circuit;
        std::int64_t seen_ms = 0;
    };

    sender& joined(const request& request, std::int64_t now_ms);
    void forget_silent(std::int64_t now_ms);

    guarded all_senders_;
    std::unordered_map<outgoing, sender, sender_hash, same_sender> senders_;  // by an example without URL and body
    std::size_t forget_at_ = 64;  // above this number of senders, idle ones are removed
};

struct traffic_limits {
    std::int32_t max_in_flight = 1'024;
    std::int32_t max_per_endpoint = 64;
    breaker_rule breaker = {};
    std::int64_t share_window_ms = 0;  // time for which a good response to a shared request is reused
};

struct endpoint_stats {
    std::string name;  // "https://prometheus.example:443" as in the URL, without user information
    std::int32_t in_flight = 0;
    std::size_t waiting = 0;
    circuit state = circuit::closed;  // of the breaker for all senders
    std::int64_t open_for_ms = 0;
    std::string proxy;                // "127.0.0.1:3128 (http_proxy)"; "": none was used in the last 15 minutes
    std::size_t failing_senders = 0;  // senders with failures of their own credential, TLS settings or time limits
    std::uint64_t sent = 0, failed = 0, held = 0, openings = 0;
};

struct traffic_stats {
    std::int32_t in_flight = 0;
    std::size_t waiting = 0;
    std::uint64_t sent = 0, held = 0;
    std::uint64_t shared = 0;               // requests answered with the response to an equal one
    std::size_t kept_bytes = 0;             // of responses kept for later requests
    std::vector<endpoint_stats> endpoints;  // up to 100: open circuits first, then the busiest
    std::size_t endpoint_count = 0;
};

class traffic final : public relay {
  public:
    traffic(std::shared_ptr<loop> behind, const traffic_limits& limits);

    // See loop.  If a breaker is open, the result is the endpoint's last failure, marked as held.
    ticket send(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) override;
    // Sends the request unless an equal one is in progress, or has had a good response within share_window_ms: then the result
    // is that one's.  Equal means the same bytes and the same credential; callers round the time in queries to make requests
    // equal.
    ticket send_shared(const outgoing& request, std::int64_t deadline_ms, callback<void(answer)> done);
    void cancel(ticket id) override;

    traffic_stats stats() const;

  private:
    struct endpoint {
        std::string name;
        std::string proxy;
        std::int64_t landed_ms = 0;  // steady: the last response
        http::circuits circuits;
        std::int32_t in_flight = 0;
        std::deque<ticket> line;  // canceled entries are skipped
        std::size_t waiting = 0;
        bool in_round = false;
        std::uint64_t sent = 0, failed = 0, held = 0;
    };
    struct pending {
        endpoint* to = nullptr;
        outgoing request;
        std::int64_t deadline_ms = 0;
        callback<void(answer)> done;
        ticket inner = 0;  // ticket of the transfer; while queued, of the timer for its deadline
        bool sent = false;
    };
    struct text_hash {
        using is_transparent = void;  // lookup without a copy
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    struct outcome {
        callback<void(answer)> done;
        answer reply;
    };

    // Equal requests that share a response.
    struct waiter {
        ticket id = 0;
        callback<void(answer)> done;
    };
    struct group {
        ticket inner = 0;  // of the one request
        std::vector<waiter> waiting;
        std::shared_ptr<const answer> reply;  // null: in progress
        std::int64_t until_ms = 0;            // steady clock; set with `reply`
    };

    // Requires the lock.
    ticket enter(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done);
    void forget_old_replies();
    ticket leave_group(ticket waiter, callback<void(answer)>& dropped);
    endpoint& endpoint_of(const std::string& url);
    void forget_idle();
    bool has_capacity(const endpoint& peer) const;
    void start(ticket id, pending& entry);
    void start_or_forget(ticket id, pending& entry);
    void line_up(ticket id, pending& entry);
    void leave(pending& entry);
    void admit_more(std::vector<outcome>& outcomes);
    bool admit_one(endpoint& peer, std::vector<outcome>& outcomes);

    void landed(ticket id, answer&& reply);
    void landed_shared(const outgoing& request, answer&& reply);
    void too_late(ticket id);
    static void hand_out(std::vector<outcome>& all);

    const traffic_limits limits_;

    mutable std::mutex lock_;  // never held during a callback
    std::unordered_map<std::string, std::unique_ptr<endpoint>, text_hash, std::equal_to<>> endpoints_;
    std::unordered_map<ticket, pending> pending_;
    std::deque<endpoint*> round_;  // endpoints with a queue, in turn
    std::size_t forget_at_ = 256;  // above this number of endpoints, idle ones are removed
    std::int32_t in_flight_ = 0;
    std::uint64_t sent_ = 0, held_ = 0;

    std::unordered_map<outgoing, group, request_hash, same_request> groups_;
    std::unordered_map<ticket, outgoing> waiters_;  // the request that each waits for
    std::deque<outgoing> kept_;                     // requests of groups with a response, the oldest first
    std::uint64_t shared_ = 0;
    std::size_t kept_bytes_ = 0;
};

}  // namespace gputide::http
