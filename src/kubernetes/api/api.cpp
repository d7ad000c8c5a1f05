// Queues requests until the budget (request_budget) has a place for them, and owns them until they end.  Runs on the loop's thread.
#include "kubernetes/api/api.hpp"

#include "auth/authenticator.hpp"
#include "kube/answer.hpp"
#include "kube/endpoint.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lost_after_ms = 5'000;  // after the request's timeout

verdict verdict_unsent(status why) {
    if (why == status::auth || why == status::forbidden) return verdict::denied;
    return why == status::invalid ? verdict::refused : verdict::failed;
}

}  // namespace

api_exchange::api_exchange(api& queue, request_maker make, callback<void(reply)> done)
    : operation(queue.loop(), never, std::move(done)),
      queue_(queue.weak_from_this()),
      make_(std::move(make)),
      until_ms_(never) {}

// Frees the place.  Waiting requests are sent after the cancel has ended, because many requests are often canceled at once.
void api_exchange::cancel() {
    if (over()) return;
    const auto self = shared_from_this();
    operation::cancel();
    const auto queue = queue_.lock();
    if (!queue) return;
    queue->leave(place_);
    queue->send_waiting_later();
}

// Sends the request.  Its callback holds a weak reference, because the queue owns this exchange and releases all exchanges when
// it ends.
void api_exchange::begin(api& queue) {
    const auto self = std::static_pointer_cast<api_exchange>(shared_from_this());
    const std::weak_ptr<api_exchange> weak = self;
    const std::int64_t now_ms = loop().steady_ms();
    const std::optional<api_request> request = make_();
    if (!request) return end_unsent();
    http::request out = kube::request_for(queue.at(), request->target, request->accept);
    out.method = request->method;
    out.attempt_timeout_ms = request->timeout_ms;
    if (!request->body.empty()) {
        out.set("Content-Type", request->content_type);
        out.body = secret_text(request->body);
    }
    carry(queue.transmit(std::move(out), request->target, request->timeout_ms, [weak](reply reply) {
        if (const auto here = weak.lock()) here->end(std::move(reply));
    }));
    is_sent_ = true;
    until_ms_ = now_ms + request->timeout_ms + lost_after_ms;
}

// Ends without sending.  Keeps the place until `done` has run, which never happens inside the call that added the request.
void api_exchange::end_unsent() {
    reply out;
    out.verdict = verdict::unsent;
    out.why = fail(error_class::timeout,
                   "not sent: its deadline passed in the request queue, or the request was no longer needed");
    after(0, [self = std::static_pointer_cast<api_exchange>(shared_from_this()), out = std::move(out)] {
        self->end(out);
    });
    until_ms_ = loop().steady_ms() + lost_after_ms;
    is_sent_ = true;
}

// Ends and sends the next requests.  If `done` adds requests, they compete with the waiting ones in the usual order.
void api_exchange::end(reply reply) {
    const auto queue = queue_.lock();
    if (!queue) return;
    queue->leave(place_);
    try {
        finish(std::move(reply));
    } catch (...) {
        queue->send_waiting_later();
        throw;
    }
    queue->send_waiting();
}

// Cancels all requests: a request in progress keeps itself alive until it ends or is canceled.
api::~api() {
    for (const auto& [place, request] : requests_) request->cancel();
}

std::shared_ptr<api_exchange> api::send(const endpoint& target, request_maker make, callback<void(reply)> done) {
    auto request = std::make_shared<api_exchange>(*this, std::move(make), std::move(done));
    request->place_ = budget_.add(lane_of(target), tenant_of(target));
    try {
        requests_.emplace(request->place_, request);
        send_waiting();
    } catch (...) {
        request->cancel();  // the caller sees a request that was never added
        throw;
    }
    return request;
}

void api::leave(request_budget::ticket place) {
    budget_.end(place);
    requests_.erase(place);
}

// Sends requests while places are free.  If a request cannot be sent for lack of memory, it returns to the queue.
void api::send_waiting() {
    while (const auto next = budget_.next(loop_->steady_ms())) {
        const std::shared_ptr<api_exchange> request = requests_.at(*next);
        budget_.begin(*next);
        try {
            request->begin(*this);
        } catch (...) {
            budget_.put_back(*next);
            throw;
        }
        budget_.ends_until(*next, request->until_ms_);
        if (request->over()) leave(*next);
    }
}

void api::drop_waiting() {
    std::vector<std::shared_ptr<api_exchange>> waiting;
    for (const auto& [place, request] : requests_) {
        if (request->is_waiting()) waiting.push_back(request);
    }
    for (const auto& request : waiting) request->cancel();
}

// Sends from the loop.  If no memory is left for the timer, the next request that is added or ends sends the waiting ones.
void api::send_waiting_later() noexcept {
    if (is_sending_later_ || budget_.waiting() == 0) return;
    try {
        loop_->after(0, [weak = weak_from_this()] {
            const auto here = weak.lock();
            if (!here) return;
            here->is_sending_later_ = false;
            here->send_waiting();
        });
        is_sending_later_ = true;
    } catch (const std::bad_alloc&) {
    }
}

std::shared_ptr<http::exchange> api::transmit(http::request request, endpoint target, std::int64_t longest_ms,
                                              callback<void(reply)> done) const {
    result<http::request> prepared = std::move(request);
    result<void> ready = kube::check_path(target);
    if (ready) ready = access_.authenticator.prepare(*prepared);
    if (!ready) prepared = ready.take_failure();
    return auth::send_authenticated(
        loop_, access_.authenticator, std::move(prepared), loop_->steady_ms() + longest_ms,
        [target = std::move(target), done = std::move(done)](result<auth::exchanged>&& exchanged) {
            if (exchanged) return done(judge(std::move(exchanged->answer), target));
            reply out;
            out.why = exchanged.take_failure();
            out.verdict = verdict_unsent(out.why.status);
            done(std::move(out));
        },
        http::no_repeat());  // only the caller knows whether a repeat is safe
}

namespace {

verdict verdict_of(std::int32_t code) {
    switch (code) {
        case 401:
        case 403:
            return verdict::denied;
        case 404:
            return verdict::missing;
        case 409:
            return verdict::conflict;
        case 410:
            return verdict::gone;
        case 400:
        case 422:
            return verdict::refused;
        case 429:
        case 503:
            return verdict::throttled;
        case 500:
        case 504:
            return verdict::unknown;
        default:
            return verdict::failed;
    }
}

// Tells whether the request may have reached the server.
bool may_have_happened(http::fault fault) {
    return fault == http::fault::timeout || fault == http::fault::deadline || fault == http::fault::reset;
}

}  // namespace

std::int64_t requested_delay_ms(const error& why) { return std::min(why.retry_after_ms, max_retry_delay_ms); }

std::int64_t retry_delay_ms(std::int32_t failures) {
    constexpr std::int64_t first_ms = 5'000;
    return std::min(max_retry_delay_ms, first_ms << std::clamp(failures - 1, 0, 4));
}

reply judge(http::answer answer, const endpoint& endpoint) {
    reply out;
    if (auto no = kube::refusal(answer, endpoint)) {
        out.why = *std::move(no);
        out.verdict = answer.arrived() ? verdict_of(answer.response.status) : verdict::failed;
        if (!answer.arrived() && may_have_happened(answer.fault)) out.verdict = verdict::unknown;
    } else {
        out.why = error(status::ok);
        out.verdict = verdict::good;
    }
    out.answer = std::move(answer);
    return out;
}

api_request merge_patch(endpoint target, std::string body, std::int64_t timeout_ms) {
    api_request out;
    out.target = std::move(target);
    out.target.query = "?fieldManager=gputide";
    out.target.verb = "patch";
    out.method = "PATCH";
    out.body = std::move(body);
    out.content_type = "application/merge-patch+json";
    out.timeout_ms = timeout_ms;
    return out;
}

api_request creation_in(endpoint collection, std::string body, std::int64_t timeout_ms) {
    api_request out;
    out.target = std::move(collection);
    out.target.verb = "create";
    out.method = "POST";
    out.body = std::move(body);
    out.timeout_ms = timeout_ms;
    return out;
}

request_maker always(api_request request) {
    return [request = std::move(request)] { return std::optional(request); };
}

std::shared_ptr<api_exchange> api::send(const api_request& request, callback<void(reply)> done) {
    return send(request.target, always(request), std::move(done));
}

request_maker api::in_time(api_request request) const {
    const std::int64_t until_ms = loop().steady_ms() + request.timeout_ms;
    return [this_loop = loop_, request = std::move(request), until_ms] {
        std::optional<api_request> out;
        const std::int64_t left_ms = until_ms - this_loop->steady_ms();
        if (left_ms <= 0) return out;
        out = request;
        out->timeout_ms = left_ms;
        return out;
    };
}

// Sends no Accept-Encoding: a compressed watch has one gzip member per flush, which this client cannot decompress.
std::shared_ptr<http::exchange> api::stream(const endpoint& endpoint, std::int64_t longest_ms,
                                            std::function<void(std::string_view)> take,
                                            callback<void(reply)> done) const {
    http::request out = kube::request_for(at(), endpoint);
    out.attempt_timeout_ms = longest_ms;
    out.stream = std::make_shared<const std::function<void(std::string_view)>>(std::move(take));
    return transmit(std::move(out), endpoint, longest_ms, std::move(done));
}

}  // namespace gputide::kubernetes
