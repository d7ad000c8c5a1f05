// A loop in front of another one: it has its own say about requests, time and timers are the other's.
#pragma once

#include "http/loop.hpp"

#include <memory>
#include <utility>

namespace gputide::http {

class relay : public loop {
  public:
    explicit relay(std::shared_ptr<loop> on) : on_(std::move(on)) {}

    ticket after(std::int64_t delay_ms, std::function<void()> fire) override {
        return on_->after(delay_ms, std::move(fire));
    }
    std::int64_t steady_ms() const override { return on_->steady_ms(); }
    std::int64_t wall_ms() const override { return on_->wall_ms(); }
    double uniform() override { return on_->uniform(); }

  protected:
    const std::shared_ptr<loop> on_;
};

}  // namespace gputide::http
