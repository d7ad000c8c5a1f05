// Work in progress at the API server, and the time of the next attempt after a failure.
#pragma once

#include "http/exchange.hpp"
#include "kubernetes/api/api.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace gputide::kubernetes {

// Work that something waits for.  Requests to the API server know whether they can still end; other work has a time limit.
class awaited {
  public:
    // Work: an http::exchange and a pending.
    template <class Work>
    void begin(const std::shared_ptr<Work>& work) {
        cancel();  // an earlier work that never ended
        work_ = work;
        pending_ = work;
    }
    // work: null if nothing can be canceled.  until_ms: steady clock; the work counts as ended after it.
    void begin_until(std::shared_ptr<http::exchange> work, std::int64_t until_ms) {
        cancel();
        work_ = std::move(work);
        until_ms_ = until_ms;
    }
    void end() {
        work_.reset();
        pending_.reset();
        until_ms_ = 0;
    }
    void cancel() {
        if (work_) work_->cancel();
        end();
    }
    bool is_under_way(std::int64_t now_ms) const {
        return pending_ ? pending_->is_pending(now_ms) : now_ms < until_ms_;
    }

  private:
    std::shared_ptr<http::exchange> work_;
    std::shared_ptr<const pending> pending_;
    std::int64_t until_ms_ = 0;
};

struct attempt {
    awaited work;
    std::int32_t failures = 0;       // consecutive
    std::int64_t not_before_ms = 0;  // steady clock

    bool may_begin(std::int64_t now_ms) const { return !work.is_under_way(now_ms) && now_ms >= not_before_ms; }
    // Sets the time of the next attempt: at least min_wait_ms later, and later after each consecutive failure.
    void ended(bool is_good, std::int64_t now_ms, std::int64_t min_wait_ms = 0) {
        failures = is_good ? 0 : failures + 1;
        not_before_ms = now_ms + std::max(min_wait_ms, is_good ? 0 : retry_delay_ms(failures));
    }
};

}  // namespace gputide::kubernetes
