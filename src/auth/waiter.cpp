// waiter.hpp's turns.
#include "auth/waiter.hpp"

#include <utility>

namespace gputide::auth {

waiter::waiter(const std::shared_ptr<http::loop>& on, std::int64_t deadline_ms, token_done done)
    : on_(on), deadline_ms_(deadline_ms), done_(std::move(done)) {}

void waiter::cancel() {
    if (over_.exchange(true)) return;
    done_ = nullptr;
    stop_timer();
}

void waiter::tell(result<token> got) {
    if (over_.exchange(true)) return;
    stop_timer();
    const token_done done = std::exchange(done_, nullptr);
    done(std::move(got));
}

void waiter::tell_after(std::int64_t delay_ms, result<token> got) {
    const auto on = on_.lock();
    if (!on) return;
    auto outcome = std::make_shared<result<token>>(std::move(got));
    timer_ = on->after(delay_ms, [self = shared_from_this(), outcome] { self->tell(std::move(*outcome)); });
    if (over_) stop_timer();  // told or cancelled before the ticket was known
}

void waiter::stop_timer() {
    const auto on = on_.lock();
    const http::ticket timer = timer_.exchange(0);
    if (timer != 0 && on) on->cancel(timer);
}

}  // namespace gputide::auth
