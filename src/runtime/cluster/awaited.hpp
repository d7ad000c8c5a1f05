// An exchange whose end may never come, as an exhausted memory kept a callback from running: it is waited for until a time by which
// it has ended or never will.  One request knows that time itself, as it may wait for its turn first.
#pragma once

#include "cluster/api.hpp"
#include "cluster/lead/shards.hpp"
#include "http/exchange.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace gputide::runtime {

// Steady: when what begins now has ended, with all that is repeated of it, or never will.  leads: of what writes under them, or null.
std::int64_t lost_ms(const http::loop& loop, const cluster::shard_leads* leads);

class awaited {
  public:
    // exchange: null where there is none to be cancelled.  until_ms: steady.
    void begin(std::shared_ptr<http::exchange> exchange, std::int64_t until_ms) {
        cancel();  // one that was lost
        exchange_ = std::move(exchange);
        until_ms_ = until_ms;
    }
    void begin(std::shared_ptr<cluster::api_exchange> request) {
        cancel();  // one that was lost
        request_ = std::move(request);
    }
    void end() {
        until_ms_ = 0;
        request_.reset();
    }
    void cancel() {
        if (exchange_) exchange_->cancel();
        if (request_) request_->cancel();
        end();
    }
    bool is_under_way(std::int64_t now_ms) const {
        return now_ms < until_ms_ || (request_ && request_->is_pending(now_ms));
    }

  private:
    std::shared_ptr<http::exchange> exchange_;
    std::shared_ptr<cluster::api_exchange> request_;
    std::int64_t until_ms_ = 0;
};

}  // namespace gputide::runtime
