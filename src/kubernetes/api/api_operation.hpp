// Several requests to the API server, one after another, each of which may wait for its turn.
#pragma once

#include "kubernetes/api/api.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

namespace gputide::kubernetes {

template <class Value>
class api_operation : public http::operation<Value>, public pending {
  public:
    // Without a deadline: each request has its own.
    api_operation(http::loop& runs_on, std::function<void(Value)> done)
        : http::operation<Value>(runs_on, std::numeric_limits<std::int64_t>::max(), std::move(done)) {}

    bool is_pending(std::int64_t now_ms) const final {
        if (this->over()) return false;
        const std::shared_ptr<api_exchange> request = request_.lock();
        return now_ms < paused_until_ms_ || (request && request->is_pending(now_ms));
    }

  protected:
    void carry_request(std::shared_ptr<api_exchange> request) {
        request_ = request;
        this->carry(std::move(request));
    }
    void pause(std::int64_t delay_ms, std::function<void()> next) {
        this->after(delay_ms, std::move(next));
        set_paused(delay_ms);
    }
    void end_soon(Value outcome) {
        this->finish_soon(std::move(outcome));
        set_paused(0);
    }

  private:
    static constexpr std::int64_t late_ms = 5'000;  // of a timer

    void set_paused(std::int64_t delay_ms) { paused_until_ms_ = this->loop().steady_ms() + delay_ms + late_ms; }

    std::weak_ptr<api_exchange> request_;  // the last one, which keeps this operation for its answer
    std::int64_t paused_until_ms_ = 0;     // steady
};

}  // namespace gputide::kubernetes
