#include "kubernetes/controller/events.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "kubernetes/api/resources.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::size_t max_kept = 4'096;  // of each map; the least recently used entry is removed
constexpr std::size_t max_message_bytes = 1'024;
constexpr std::size_t many = 10;  // different messages, each less than `similar_ms` after the previous one
constexpr std::int64_t similar_ms = 600'000;
constexpr double burst = 25;
constexpr double ms_per_event = 300'000;
constexpr const char* combined = "(combined from similar events): ";
constexpr const char* component = "gputide";

// Returns the entry of a key.  Creates a missing one and removes the least recently used entry if the map is full.
template <class Map>
typename Map::mapped_type& used(Map& in, const typename Map::key_type& key, std::int64_t now_ms) {
    if (in.size() >= max_kept && in.find(key) == in.end()) {
        in.erase(std::min_element(in.begin(), in.end(),
                                  [](const auto& a, const auto& b) { return a.second.used_ms < b.second.used_ms; }));
    }
    auto [at, fresh] = in.try_emplace(key);
    if (fresh) at->second.used_ms = now_ms;
    return at->second;
}

// Returns for example "llm.18a3f0c2b1d40001": the time in nanoseconds.  Its last digits are a number, because the clock has
// milliseconds.
std::string name_of(const object_event& event, std::int64_t wall_ms, std::uint64_t number) {
    constexpr std::uint64_t ns_per_ms = 1'000'000;
    std::array<char, 16> digits{};
    const std::uint64_t ns = static_cast<std::uint64_t>(wall_ms) * ns_per_ms + number % ns_per_ms;
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), ns, 16).ptr;
    return event.about.name + "." + std::string(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

std::string body_of(const object_event& event, const std::string& name, const std::string& message,
                    const std::string& instance, std::int64_t wall_ms) {
    const std::string now = format_rfc3339_s(wall_ms);
    json_writer out;
    out.begin_object().member("apiVersion", "v1").member("kind", "Event");
    out.key("metadata").begin_object().member("name", name).member("namespace", event.about.name_space).end_object();
    out.key("involvedObject")
        .begin_object()
        .member("apiVersion", "keda.sh/v1alpha1")
        .member("kind", manifest::kind_text(event.kind));
    out.member("namespace", event.about.name_space)
        .member("name", event.about.name)
        .member("uid", event.uid)
        .end_object();
    out.member("type", event.is_warning ? "Warning" : "Normal")
        .member("reason", event.reason)
        .member("message", message);
    out.key("source").begin_object().member("component", component).end_object();
    out.member("reportingComponent", component).member("reportingInstance", instance);
    out.member("firstTimestamp", now).member("lastTimestamp", now).member("count", 1);
    return out.end_object().take();
}

std::string patch_of(const std::string& message, std::int64_t count, std::int64_t wall_ms) {
    json_writer out;
    out.begin_object().member("message", message).member("count", count);
    return out.member("lastTimestamp", format_rfc3339_s(wall_ms)).end_object().take();
}

}  // namespace

bool event_correlator::is_many(const std::string& group, const std::string& message, std::int64_t now_ms) {
    similar_events& its = used(similar_, group, now_ms);
    if (now_ms - its.used_ms > similar_ms) its.messages.clear();
    its.used_ms = now_ms;
    its.messages.insert(message);
    if (its.messages.size() < many) return false;
    its.messages.erase(its.messages.begin());
    return true;
}

// Applies a token bucket per object: 25 events, refilled by one every five minutes.
bool event_correlator::may_send(const object_key& about, std::int64_t now_ms) {
    const bool is_new = allowances_.find(about) == allowances_.end();
    allowance& its = used(allowances_, about, now_ms);
    const double grown = is_new ? burst : its.left + static_cast<double>(now_ms - its.used_ms) / ms_per_event;
    its.left = std::min(burst, grown);
    its.used_ms = now_ms;
    if (its.left < 1) return false;
    its.left -= 1;
    return true;
}

event_request event_correlator::next(const object_event& event, std::int64_t now_ms, std::int64_t wall_ms) {
    std::string group =
        format_text("{} {} {} {}", event.about.text(), event.uid, event.is_warning ? 1 : 0, event.reason);
    std::string message = event.message;
    const bool is_combined = is_many(group, message, now_ms);
    if (is_combined) message = combined + message;
    message = cut_utf8(message, max_message_bytes);
    event_request out;
    if (!may_send(event.about, now_ms)) return out;
    sent_event& its = used(sent_, is_combined ? group : group + " " + message, now_ms);
    its.used_ms = now_ms;
    if (++its.count > 1) {
        out.step = event_step::patch;
        out.name = its.name;
        out.body = patch_of(message, its.count, wall_ms);
        return out;
    }
    its.name = name_of(event, wall_ms, ++made_);
    out.step = event_step::create;
    out.name = its.name;
    out.body = body_of(event, its.name, message, instance_, wall_ms);
    return out;
}

void event_correlator::forget(const std::string& event_name) {
    const auto at = std::ranges::find_if(sent_, [&](const auto& each) { return each.second.name == event_name; });
    if (at != sent_.end()) sent_.erase(at);
}

namespace {

constexpr std::int64_t event_timeout_ms = 10'000;
constexpr std::int64_t retry_ms = 10'000;  // as in client-go
constexpr std::int32_t max_failures = 12;  // per event

api_request request_for(const std::string& name_space, const event_request& request) {
    const resource events = known_resource("", "v1", "events");
    if (request.step == event_step::patch)
        return merge_patch(events.object({name_space, request.name}, "patch"), request.body, event_timeout_ms);
    return creation_in(events.collection(name_space), request.body, event_timeout_ms);
}

// Tells whether the same request may succeed later.
bool may_pass(verdict what) {
    return what == verdict::throttled || what == verdict::unknown || what == verdict::failed ||
           what == verdict::denied || what == verdict::conflict || what == verdict::gone;
}

}  // namespace

// Queues an event.  Returns true also if the correlator drops it.
bool event_sender::send(const object_event& event) {
    if (waiting_.size() >= max_waiting_events) return false;
    event_request request = correlator_.next(event, api_->loop().steady_ms(), api_->loop().wall_ms());
    if (request.step == event_step::drop) return true;
    waiting_event waiting;
    waiting.event = event;
    waiting.request = std::move(request);
    waiting_.emplace(++last_, std::move(waiting));
    begin(last_);
    return true;
}

// Sends an event unless it must wait. tick() tries again later.
void event_sender::begin(number which) {
    waiting_event& waiting = waiting_.at(which);
    const std::int64_t now_ms = api_->loop().steady_ms();
    if (now_ms < std::max(not_before_ms_, waiting.not_before_ms) || waiting.exchange.is_under_way(now_ms)) return;
    const api_request request = request_for(waiting.event.about.name_space, waiting.request);
    waiting.exchange.begin(
        api_->send(request.target,
                   while_alive(*this,
                               [request](const event_sender& here) {
                                   const bool is_due = here.api_->loop().steady_ms() >= here.not_before_ms_;
                                   return is_due ? std::optional(request) : std::nullopt;
                               }),
                   while_alive(*this, [which](event_sender& here, const reply& reply) { here.ended(which, reply); })));
}

void event_sender::tick() {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
        const number which = (at++)->first;
        begin(which);
    }
}

// Drops the waiting events.  Requests in progress continue.
void event_sender::end() { waiting_.clear(); }

// Handles the response.  Event names are unique, so a 409 means that an earlier request with a lost response created the event.
void event_sender::ended(number which, const reply& reply) {
    const auto at = waiting_.find(which);
    if (at == waiting_.end()) return;
    waiting_event& waiting = at->second;
    waiting.exchange.end();
    if (reply.verdict == verdict::unsent) return;
    if (reply.verdict != verdict::denied) denials_ = 0;
    const bool is_creation = waiting.request.step == event_step::create;
    const bool is_there = is_creation && reply.verdict == verdict::conflict;
    if (reply.verdict != verdict::good && !is_there) return failed(which, reply);
    ++counts_.sent;
    counts_.message.clear();
    waiting_.erase(at);
}

// Handles a failure.  After a denial no event is sent for a while.
void event_sender::failed(number which, const reply& reply) {
    ++counts_.failures;
    counts_.message = reply.why.message;
    waiting_event& waiting = waiting_.at(which);
    const std::int64_t now_ms = api_->loop().steady_ms();
    if (reply.verdict == verdict::denied) not_before_ms_ = now_ms + retry_delay_ms(++denials_);
    waiting.not_before_ms = now_ms + std::max(retry_ms, requested_delay_ms(reply.why));
    const bool is_missing = reply.verdict == verdict::missing && waiting.request.step == event_step::patch;
    const bool is_over = ++waiting.failures >= max_failures || !(is_missing || may_pass(reply.verdict));
    if (is_over) {
        correlator_.forget(waiting.request.name);
        waiting_.erase(which);
    } else if (is_missing && !is_being_made(waiting)) {
        make_anew(which);
    }
}

// Tells whether the request that creates the event is still waiting or in progress.
bool event_sender::is_being_made(const waiting_event& waiting) const {
    return std::ranges::any_of(waiting_, [&](const auto& each) {
        const event_request& request = each.second.request;
        return request.step == event_step::create && request.name == waiting.request.name;
    });
}

// Creates the event again if the event to patch does not exist any more: the API server deletes events after an hour.
void event_sender::make_anew(number which) {
    waiting_event& waiting = waiting_.at(which);
    correlator_.forget(waiting.request.name);
    waiting.request = correlator_.next(waiting.event, api_->loop().steady_ms(), api_->loop().wall_ms());
    waiting.not_before_ms = 0;
    if (waiting.request.step == event_step::drop) {
        waiting_.erase(which);
    } else {
        begin(which);
    }
}

}  // namespace gputide::kubernetes
