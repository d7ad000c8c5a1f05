// Middleware: limits the requests in flight per endpoint (scheme, host and port) and in total, and refuses requests to failing
// endpoints.  Requests above a limit wait in a queue until their deadline; a dead endpoint delays only its own requests.
#pragma once

#include "http/loop.hpp"
#include "http/middle/circuits.hpp"

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

struct traffic_limits {
    std::int32_t max_in_flight = 1'024;
    std::int32_t max_per_endpoint = 64;
    breaker_rule breaker;
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
    std::vector<endpoint_stats> endpoints;  // up to 100: open circuits first, then the busiest
    std::size_t endpoint_count = 0;
};

class traffic final : public relay {
  public:
    traffic(std::shared_ptr<loop> behind, const traffic_limits& limits);

    // See loop.  If a breaker is open, the result is the endpoint's last failure, marked as held.
    ticket send(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) override;
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

    // Requires the lock.
    endpoint& endpoint_of(const std::string& url);
    void forget_idle();
    bool has_capacity(const endpoint& peer) const;
    void start(ticket id, pending& entry);
    void start_or_forget(ticket id, pending& entry);
    void line_up(ticket id, pending& entry);
    void leave(pending& entry);
    void admit_more(std::vector<outcome>& outcomes);
    bool admit_one(endpoint& peer, std::vector<outcome>& outcomes);

    void landed(ticket id, answer reply);
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
};

}  // namespace gputide::http
