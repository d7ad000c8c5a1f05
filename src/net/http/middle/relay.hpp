// Base of middleware: a loop in front of another loop.  It decides about requests.  Time, timers and tickets come from the inner
// loop, so that middleware recognizes its own tickets and forwards all others.
#pragma once

#include "http/loop.hpp"

#include <memory>
#include <utility>

namespace gputide::http {

class relay : public loop {
  public:
    explicit relay(std::shared_ptr<loop> behind) : behind_(std::move(behind)) {}

    ticket after(std::int64_t delay_ms, callback<void()> fire) override {
        return behind_->after(delay_ms, std::move(fire));
    }
    void cancel(ticket id) override { behind_->cancel(id); }
    ticket reserve() override { return behind_->reserve(); }
    std::int64_t steady_ms() const override { return behind_->steady_ms(); }
    std::int64_t wall_ms() const override { return behind_->wall_ms(); }
    double uniform() override { return behind_->uniform(); }

  protected:
    const std::shared_ptr<loop> behind_;
};

}  // namespace gputide::http
