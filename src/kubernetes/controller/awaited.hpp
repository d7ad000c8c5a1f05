// Work that something waits for.  Work at the API server knows whether its end may still come; a time bounds what does not know.
#pragma once

#include "http/exchange.hpp"
#include "kubernetes/api/api.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace gputide::kubernetes {

class awaited {
  public:
    // Work: an http::exchange and pending.
    template <class Work>
    void begin(const std::shared_ptr<Work>& work) {
        cancel();  // one that was lost
        work_ = work;
        pending_ = work;
    }
    // work: null where there is nothing to cancel.  until_ms: steady; by then it has ended or never will.
    void begin_until(std::shared_ptr<http::exchange> work, std::int64_t until_ms) {
        cancel();  // one that was lost
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

}  // namespace gputide::kubernetes
