#include "cluster/request_queue.hpp"

#include "auth/asking.hpp"
#include "kube/path_check.hpp"

#include <limits>
#include <new>
#include <utility>

namespace gputide::cluster {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lost_after_ms = 5'000;  // behind its timeout

verdict verdict_unsent(status why) {
    if (why == status::auth || why == status::forbidden) return verdict::denied;
    return why == status::invalid ? verdict::refused : verdict::failed;
}

}  // namespace

api_exchange::api_exchange(std::shared_ptr<request_queue> queue, request_maker make, std::int64_t not_after_ms,
                           std::function<void(reply)> done)
    : operation(*queue->loop, not_after_ms == 0 ? never : not_after_ms, std::move(done)),
      queue_(std::move(queue)),
      make_(std::move(make)),
      not_after_ms_(not_after_ms),
      until_ms_(never) {}

// What has waited may go now, but only once the canceling is over: it is often that of many.
void api_exchange::cancel() {
    if (over()) return;
    operation::cancel();
    queue_->leave(place_);
    queue_->send_waiting_later();
}

void api_exchange::begin() {
    const auto self = std::static_pointer_cast<api_exchange>(shared_from_this());
    const std::int64_t now_ms = loop().steady_ms();
    if (not_after_ms_ != 0 && now_ms >= not_after_ms_) {
        reply late;
        late.why = fail(error_class::timeout, "not sent: too many requests to the API server were before it");
        after(0, [self, late = std::move(late)] { self->end(late); });
        until_ms_ = now_ms + lost_after_ms;
        return;
    }
    const std::optional<api_request> request = make_();
    if (!request) return operation::cancel();
    http::request out = kube::request_for(queue_->access, request->target, request->accept);
    out.method = request->method;
    out.attempt_timeout_ms = request->timeout_ms;
    if (!request->body.empty()) {
        out.set("Content-Type", request->content_type);
        out.body = secret_text(request->body);
    }
    carry(queue_->transmit(std::move(out), request->target, request->timeout_ms,
                           [self](reply reply) { self->end(std::move(reply)); }));
    until_ms_ = now_ms + request->timeout_ms + lost_after_ms;
}

// `done` may ask for more, and what it asks for may come first.
void api_exchange::end(reply reply) {
    queue_->leave(place_);
    try {
        finish(std::move(reply));
    } catch (...) {
        queue_->send_waiting_later();
        throw;
    }
    queue_->send_waiting();
}

std::shared_ptr<api_exchange> request_queue::add(const endpoint& target, std::shared_ptr<api_exchange> request) {
    request->place_ = budget_.add(lane_of(target), tenant_of(target));
    try {
        waiting_.emplace(request->place_, request);
        send_waiting();
    } catch (...) {
        request->cancel();  // as if it had never been asked for
        throw;
    }
    return request;
}

void request_queue::leave(request_budget::ticket place) {
    waiting_.erase(place);
    budget_.end(place);
}

// A request that finds no memory when its turn has come goes on waiting.
void request_queue::send_waiting() {
    while (const auto next = budget_.next(loop->steady_ms())) {
        const std::shared_ptr<api_exchange> request = waiting_.at(*next);
        budget_.begin(*next);
        try {
            request->begin();
        } catch (...) {
            budget_.put_back(*next);
            throw;
        }
        budget_.ends_until(*next, request->until_ms_);
        waiting_.erase(*next);
        if (request->over()) budget_.end(*next);
    }
}

void request_queue::drop_waiting() {
    for (const auto& [place, request] : std::exchange(waiting_, {})) request->cancel();
}

// Without memory for the timer, the next request or the next end sends what waits.
void request_queue::send_waiting_later() noexcept {
    if (is_sending_later_ || waiting_.empty()) return;
    try {
        loop->after(0, [self = shared_from_this()] {
            self->is_sending_later_ = false;
            self->send_waiting();
        });
        is_sending_later_ = true;
    } catch (const std::bad_alloc&) {
    }
}

std::shared_ptr<http::exchange> request_queue::transmit(http::request request, endpoint target, std::int64_t longest_ms,
                                                        std::function<void(reply)> done) const {
    result<http::request> prepared = std::move(request);
    result<void> ready = kube::check_path(target);
    if (ready) ready = access.authenticator.prepare(*prepared);
    if (!ready) prepared = std::move(ready).failure();
    return auth::send_question(
        loop, access.authenticator, std::move(prepared), loop->steady_ms() + longest_ms,
        [target = std::move(target), done = std::move(done)](result<auth::exchanged> exchanged) {
            if (exchanged) return done(judge(std::move(exchanged->answer), target));
            reply out;
            out.why = std::move(exchanged).failure();
            out.verdict = verdict_unsent(out.why.status);
            done(std::move(out));
        },
        http::no_repeat());  // only the caller knows what a repeat would mean
}

}  // namespace gputide::cluster
