// Middleware: sends one of several equal requests.  All that arrive while it is in progress or shortly after get its response.
// Equal means the same bytes and the same credential; callers round the time in queries to make requests equal.
#pragma once

#include "http/loop.hpp"
#include "http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gputide::http {

// The identity of a request's sender: what two requests must have in common to share results.

// Compares headers, TLS settings and signing keys by value, so that a response obtained with one credential is never given to
// another.
bool same_credential(const request& a, const request& b);

// Compares also the time limits: equal requests would fail alike.
bool same_sender(const request& a, const request& b);
std::size_t sender_hash(const request& request);

// Compares also the request itself.
bool same_request(const request& a, const request& b);
std::size_t request_hash(const request& request);

struct sharing_stats {
    std::uint64_t asked = 0;   // requests received
    std::uint64_t shared = 0;  // answered with the response to an equal request
    std::size_t kept_bytes = 0;
};

class sharing final : public relay {
  public:
    // window_ms: time for which a good response is reused.
    sharing(std::shared_ptr<loop> behind, std::int64_t window_ms);

    ticket send(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) override;
    void cancel(ticket id) override;

    sharing_stats stats() const;

  private:
    struct waiter {
        ticket id = 0;
        callback<void(answer)> done;
    };
    struct group {
        outgoing request;
        ticket inner = 0;
        bool sent = false;
        std::vector<waiter> waiting;
        std::shared_ptr<const answer> reply;  // null: in progress
        std::int64_t until_ms = 0;            // steady clock; set with `reply`
    };

    group* find(std::size_t hash, const request& request);
    void drop(group* shared);
    void forget_old(std::int64_t now_ms);
    void landed(group* shared, answer reply);

    const std::int64_t window_ms_;

    mutable std::mutex lock_;  // never held during a callback
    std::unordered_multimap<std::size_t, std::unique_ptr<group>> groups_;
    std::unordered_map<ticket, group*> waiters_;
    std::deque<group*> kept_;  // have a response; the oldest first
    sharing_stats stats_;
};

}  // namespace gputide::http
