// flight.hpp's turns.  The lock is never held while anything else is called.
#include "auth/flight.hpp"

#include <utility>

namespace gputide::auth {

flight::flight(http::loop& on, std::int64_t deadline_ms, token_done done)
    : on_(on), deadline_ms_(deadline_ms), done_(std::move(done)) {}

void flight::cancel() {
    std::shared_ptr<http::exchange> inner;
    token_done dropped;
    {
        const std::lock_guard<std::mutex> hold(guard_);
        dropped.swap(done_);
        inner.swap(inner_);
    }
    if (inner) inner->cancel();
}

void flight::carry(const std::shared_ptr<http::exchange>& inner) {
    bool over = false;
    {
        const std::lock_guard<std::mutex> hold(guard_);
        over = !done_;
        if (!over) inner_ = inner;
    }
    if (over && inner) inner->cancel();  // cancelled, or answered, before it was handed over
}

void flight::finish(result<token> got) {
    token_done done;
    std::shared_ptr<http::exchange> inner;
    {
        const std::lock_guard<std::mutex> hold(guard_);
        done.swap(done_);
        inner.swap(inner_);
    }
    if (done) done(std::move(got));
}

void flight::finish_soon(result<token> got) {
    auto outcome = std::make_shared<result<token>>(std::move(got));
    on_.after(0, [self = shared_from_this(), outcome] { self->finish(std::move(*outcome)); });
}

}  // namespace gputide::auth
