#include "http/exchange.hpp"

#include <new>
#include <utility>

namespace gputide::http {
namespace {

class turn final : public exchange {
  public:
    turn(loop& runs_on, ticket when) : loop_(runs_on), when_(when) {}
    void cancel() override { loop_.cancel(when_); }

  private:
    loop& loop_;
    const ticket when_;
};

}  // namespace

void steps::carry(std::shared_ptr<exchange> step) {
    if (!over_) {
        step_ = std::move(step);
    } else if (step) {
        step->cancel();
    }
}

void steps::after(std::int64_t delay_ms, callback<void()> next) {
    if (over_) return;
    if (timer_ != 0) loop_.cancel(timer_);
    timer_ = loop_.after(delay_ms, [self = shared_from_this(), next = std::move(next)] {
        self->timer_ = 0;
        if (!self->over_) next();
    });
}

bool steps::end(bool cancels_step) {
    if (std::exchange(over_, true)) return false;
    if (const ticket timer = std::exchange(timer_, 0); timer != 0) loop_.cancel(timer);
    const auto step = std::exchange(step_, nullptr);
    if (cancels_step && step) step->cancel();
    return true;
}

void posted::cancel() {
    if (over_.exchange(true)) return;
    try {
        loop_.after(0, [self = shared_from_this()] { self->stop(); });
    } catch (const std::bad_alloc&) {  // the caller of cancel() is often about to be destroyed
    }
}

void posted::stop() {
    over_ = true;
    if (const ticket turn = turn_; turn != 0) loop_.cancel(turn);
    if (const auto begun = std::exchange(begun_, nullptr)) begun->cancel();
}

void posted::carry(std::shared_ptr<exchange> begun) { begun_ = std::move(begun); }

bool posted::end() {
    const auto ended = std::exchange(begun_, nullptr);
    return !over_.exchange(true);
}

std::shared_ptr<posted> post_work(loop& runs_on,
                                  callback<std::shared_ptr<exchange>(const std::shared_ptr<posted>& handle)> start) {
    auto out = std::make_shared<posted>(runs_on);
    out->begins_at(runs_on.after(0, [out, start = std::move(start)] {
        if (!out->over()) out->carry(start(out));
    }));
    return out;
}

std::shared_ptr<exchange> soon(loop& runs_on, callback<void()> next) {
    const ticket when = runs_on.after(0, std::move(next));
    return std::make_shared<turn>(runs_on, when);
}

}  // namespace gputide::http
