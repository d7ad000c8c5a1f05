#include "kubernetes/controller/events.hpp"

#include "kubernetes/api/resources.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t event_timeout_ms = 10'000;
constexpr std::int64_t retry_ms = 10'000;  // client-go's
constexpr std::int32_t max_failures = 12;  // of one event

api_request request_for(const std::string& name_space, const event_request& request) {
    const resource events = known_resource("", "v1", "events");
    if (request.step == event_step::patch)
        return merge_patch(events.object({name_space, request.name}, "patch"), request.body, event_timeout_ms);
    api_request out;
    out.target = events.collection(name_space);
    out.target.verb = "create";
    out.method = "POST";
    out.body = request.body;
    out.timeout_ms = event_timeout_ms;
    return out;
}

// Whether the same request may succeed later.
bool may_pass(verdict what) {
    return what == verdict::throttled || what == verdict::unknown || what == verdict::failed ||
           what == verdict::denied || what == verdict::conflict || what == verdict::gone;
}

}  // namespace

// What the correlator leaves out is taken as well.
bool event_sender::send(const object_event& event) {
    if (waiting_.size() >= max_waiting_events) return false;
    event_request request = correlator_.next(event, api_->loop().steady_ms(), api_->loop().wall_ms());
    if (request.step == event_step::drop) return true;
    waiting_event one;
    one.event = event;
    one.request = std::move(request);
    waiting_.emplace(++last_, std::move(one));
    begin(last_);
    return true;
}

// One that the pause of a denial lets wait is sent once that is over.
void event_sender::begin(number which) {
    waiting_event& one = waiting_.at(which);
    const std::int64_t now_ms = api_->loop().steady_ms();
    if (now_ms < std::max(not_before_ms_, one.not_before_ms) || one.exchange.is_under_way(now_ms)) return;
    const api_request request = request_for(one.event.about.name_space, one.request);
    one.exchange.begin(api_->send(
        request.target,
        [self = weak_from_this(), request] {
            const auto here = self.lock();
            const bool is_due = here && here->api_->loop().steady_ms() >= here->not_before_ms_;
            return is_due ? std::optional(request) : std::nullopt;
        },
        [self = weak_from_this(), which](const reply& reply) {
            if (const auto here = self.lock()) here->ended(which, reply);
        }));
}

void event_sender::tick() {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
        const number which = (at++)->first;
        begin(which);
    }
}

// What has been sent goes on to its end.
void event_sender::end() { waiting_.clear(); }

// An event's name is its own: a 409 says that an earlier try, whose response was lost, has made it.
void event_sender::ended(number which, const reply& reply) {
    const auto at = waiting_.find(which);
    if (at == waiting_.end()) return;
    waiting_event& one = at->second;
    one.exchange.end();
    if (reply.verdict == verdict::unsent) return;
    if (reply.verdict != verdict::denied) denials_ = 0;
    const bool is_creation = one.request.step == event_step::create;
    const bool is_there = is_creation && reply.verdict == verdict::conflict;
    if (reply.verdict != verdict::good && !is_there) return failed(which, reply);
    ++counts_.sent;
    waiting_.erase(at);
}

// Without the right to it no event is sent for a while.
void event_sender::failed(number which, const reply& reply) {
    ++counts_.failures;
    counts_.message = reply.why.message;
    waiting_event& one = waiting_.at(which);
    const std::int64_t now_ms = api_->loop().steady_ms();
    if (reply.verdict == verdict::denied) not_before_ms_ = now_ms + retry_delay_ms(++denials_);
    one.not_before_ms = now_ms + std::max(retry_ms, requested_delay_ms(reply.why));
    const bool is_missing = reply.verdict == verdict::missing && one.request.step == event_step::patch;
    const bool is_over = ++one.failures >= max_failures || !(is_missing || may_pass(reply.verdict));
    if (is_over) {
        correlator_.forget(one.request.name);
        waiting_.erase(which);
    } else if (is_missing && !is_being_made(one)) {
        make_anew(which);
    }
}

// Whether the request that makes the event has not ended yet.
bool event_sender::is_being_made(const waiting_event& one) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& each) {
        const event_request& request = each.second.request;
        return request.step == event_step::create && request.name == one.request.name;
    });
}

// The API server keeps events for an hour: one that is counted later may be gone.
void event_sender::make_anew(number which) {
    waiting_event& one = waiting_.at(which);
    correlator_.forget(one.request.name);
    one.request = correlator_.next(one.event, api_->loop().steady_ms(), api_->loop().wall_ms());
    one.not_before_ms = 0;
    if (one.request.step == event_step::drop) {
        waiting_.erase(which);
    } else {
        begin(which);
    }
}

}  // namespace gputide::kubernetes
