#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "kubernetes/controller/events.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::size_t most_kept = 4'096;  // of each map; what was used least lately goes
constexpr std::size_t most_message_bytes = 1'024;
constexpr std::size_t many = 10;  // different messages, each less than `similar_ms` after the one before
constexpr std::int64_t similar_ms = 600'000;
constexpr double burst = 25;
constexpr double ms_per_event = 300'000;
constexpr const char* combined = "(combined from similar events): ";
constexpr const char* component = "gputide";

// The entry of a key, made where it is missing, at the cost of the one that was used least lately.
template <class Map>
typename Map::mapped_type& used(Map& in, const typename Map::key_type& key, std::int64_t now_ms) {
    if (in.size() >= most_kept && in.find(key) == in.end()) {
        in.erase(std::min_element(in.begin(), in.end(),
                                  [](const auto& a, const auto& b) { return a.second.used_ms < b.second.used_ms; }));
    }
    auto [at, fresh] = in.try_emplace(key);
    if (fresh) at->second.used_ms = now_ms;
    return at->second;
}

// "llm.18a3f0c2b1d40001": the time in nanoseconds, and in its last digits a number, as no clock here is that fine.
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
    out.key("involvedObject").begin_object().member("apiVersion", "keda.sh/v1alpha1").member("kind", event.kind);
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

// A bucket of 25 that fills by one each five minutes.
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
    message = cut_utf8(message, most_message_bytes);
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
    const auto at =
        std::find_if(sent_.begin(), sent_.end(), [&](const auto& one) { return one.second.name == event_name; });
    if (at != sent_.end()) sent_.erase(at);
}

}  // namespace gputide::kubernetes
