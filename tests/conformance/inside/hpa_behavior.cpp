// hpa-behavior: limits, stabilization, events through their formulas; whole timelines through decide() and record_applied().
#include "decide/decide.hpp"
#include "decide/hpa/behavior.hpp"
#include "inside/hpa_json.hpp"

namespace conformance::hpa_behavior {
namespace {

using namespace gputide::decide;
namespace manifest = gputide::manifest;

std::int32_t window_of(const json& one) { return one.value("downscale_window_s", 300); }

struct legacy {
    double factor;
    double least;
};

legacy legacy_of(const json& one) { return {one.value("legacy_up_factor", 2.0), one.value("legacy_up_min", 4.0)}; }

std::int32_t legacy_limit_of(const json& one) {
    return legacy_up_limit(one.at("current").get<std::int32_t>(), legacy_of(one).factor, legacy_of(one).least);
}

void compare_expected(differences& out, const json& expect, const json& got) {
    for (const auto& [name, value] : expect.items()) expect_equal(out, name, value, got.value(name, json()));
}

differences compared(const json& one, const json& got) {
    differences out;
    compare_expected(out, one.at("expect"), got);
    return out;
}

differences check_legacy_limit(const json& one, const json&) {
    return compared(one, {{"limit", legacy_limit_of(one)}});
}

replica_bounds bounds_of(const json& one) {
    return {one.at("min").get<std::int32_t>(), one.at("max").get<std::int32_t>()};
}

json bounded_json(const bounded& made) { return {{"replicas", made.replicas}, {"reason", reason_name(made.why)}}; }

differences check_legacy_convert(const json& one, const json&) {
    return compared(
        one, bounded_json(bound_legacy(one.at("current").get<std::int32_t>(), one.at("desired").get<std::int32_t>(),
                                       bounds_of(one), legacy_limit_of(one))));
}

struct both_events {
    explicit both_events(const json& one)
        : ups(events_of(one.value("up_events", json::array()))),
          downs(events_of(one.value("down_events", json::array()))) {}
    event_history view() const { return {ups, downs, hpa_now_ms}; }

    std::vector<scale_event> ups;
    std::vector<scale_event> downs;
};

differences check_limit(const json& one, const json&) {
    const bool up = one.at("kind") == "up_limit";
    const manifest::behavior defaults = default_hpa_behavior(window_of(one));
    const manifest::scaling_rules rules = hpa_rules_of(one.value("rules", json()), up ? defaults.up : defaults.down);
    const both_events events(one);
    const auto current = one.at("current").get<std::int32_t>();
    const rate_limit made =
        up ? up_limit(view_of(rules), current, events.view()) : down_limit(view_of(rules), current, events.view());
    return compared(one, {{"limit", made.replicas}});
}

differences check_rate(const json& one, const json&) {
    const std::optional<manifest::behavior> rules = hpa_behavior_of(one.at("behavior"), window_of(one));
    const both_events events(one);
    const behavior_view view{true, view_of(rules.value().up), view_of(rules.value().down)};
    return compared(one, bounded_json(bound(view, one.at("current").get<std::int32_t>(),
                                            one.at("desired").get<std::int32_t>(), bounds_of(one), events.view())));
}

json history_json(const recommendation_history& history) {
    json out = json::array();
    for (const recommendation& one : history) out.push_back(one.replicas);
    return out;
}

json stabilised_json(const stabilized& made, const recommendation_history& history) {
    return {{"replicas", made.replicas}, {"reason", reason_name(made.why)}, {"history", history_json(history)}};
}

differences check_stabilize_legacy(const json& one, const json&) {
    recommendation_history history = history_of(one.at("history"));
    const stabilized made = stabilize_legacy(history, one.at("desired").get<std::int32_t>(),
                                             one.value("window_s", window_of(one)), hpa_now_ms);
    return compared(one, stabilised_json(made, history));
}

differences check_stabilize(const json& one, const json&) {
    recommendation_history history = history_of(one.at("history"));
    const stabilized made =
        stabilize(history, one.at("current").get<std::int32_t>(), one.at("desired").get<std::int32_t>(),
                  one.at("up_window_s").get<std::int32_t>(), one.at("down_window_s").get<std::int32_t>(), hpa_now_ms);
    return compared(one, stabilised_json(made, history));
}

// Without rules there is no behaviour, and a write stores nothing.
differences check_store_event(const json& one, const json&) {
    std::vector<scale_event> events = events_of(one.at("events"));
    json got = {{"change_last_60s", changed_within(events, 60, hpa_now_ms)}};
    if (one.at("rules").is_object()) {
        const manifest::scaling_rules rules = hpa_rules_of(one.at("rules"), {});
        store_event(events, view_of(rules), one.at("change").get<std::int32_t>(), hpa_now_ms);
    } else {
        got["change_last_60s"] = 0;
    }
    got["events"] = json::array();
    for (const scale_event& event : events) got["events"].push_back(json::array({event.change, event.outdated}));
    return compared(one, got);
}

// ---- timelines ------------------------------------------------------------------------------------------------------

// One metric whose value at target 1 is the raw recommendation itself, and no band in which it would not move.
policy policy_of(const json& one) {
    metric_policy metric;
    metric.name = "raw";
    metric.type = manifest::target_type::average_value;
    metric.target_milli = 1000;
    metric.rules.scale_up_above = 1.0;
    metric.rules.scale_down_below = 1.0;
    policy out;
    out.metrics = {metric};
    out.scaling.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    out.scaling.min = one.at("min").get<std::int32_t>();
    out.scaling.max = one.at("max").get<std::int32_t>();
    out.scaling.extra.sync_period_ms = 0;                                        // the steps are the passes
    if (*out.scaling.min == 0) out.scaling.controller.versions.kubernetes = 35;  // a minimum of 0 may leave 0
    out.scaling.controller.downscale_window_s = window_of(one);
    out.legacy_up_factor = legacy_of(one).factor;
    out.legacy_up_min = legacy_of(one).least;
    out.scaling.behavior = hpa_behavior_of(one.at("behavior"), out.scaling.controller.downscale_window_s);
    return out;
}

state state_of(const json& one, const policy& by) {
    state out = make_state(by);
    if (!one.contains("history") || one.at("history").is_null()) return out;
    out.seen = true;
    out.recommendations = history_of(one.at("history"));
    return out;
}

observation seen_at(std::int64_t now_ms, std::int32_t replicas, const gputide::sample& value) {
    observation out;
    out.now_ms = now_ms;
    out.spec_replicas = replicas;
    out.samples = {&value, 1};
    return out;
}

differences check_timeline(const json& one, const json&) {
    const policy by = policy_of(one);
    state with = state_of(one, by);
    auto replicas = one.at("start_replicas").get<std::int32_t>();
    json got = {{"replicas", json::array()}, {"able_reason", json::array()}, {"limit_reason", json::array()}};
    for (const json& step : one.at("steps")) {
        gputide::sample value;
        value.state = gputide::sample_state::ok;
        value.value = step.at("raw").get<double>();
        const std::int64_t now_ms = hpa_now_ms + step.at("t").get<std::int64_t>() * 1000;
        decision made = decide(by, with, seen_at(now_ms, replicas, value));
        const auto reason_of = [&](condition_type type) {
            return reason_name(made.conditions[static_cast<std::size_t>(type)].reason);
        };
        got["able_reason"].push_back(reason_of(condition_type::able_to_scale));
        got["limit_reason"].push_back(reason_of(condition_type::scaling_limited));
        replicas = made.desired_replicas;
        got["replicas"].push_back(replicas);
        record_applied(by, with, made, now_ms);
    }
    return compared(one, got);
}

const registration limits_legacy{"hpa-behavior", {"legacy_limit"}, &check_legacy_limit};
const registration convert{"hpa-behavior", {"legacy_convert"}, &check_legacy_convert};
const registration limits_of{"hpa-behavior", {"up_limit", "down_limit"}, &check_limit};
const registration rates{"hpa-behavior", {"rate"}, &check_rate};
const registration windows_legacy{"hpa-behavior", {"stabilize_legacy"}, &check_stabilize_legacy};
const registration windows{"hpa-behavior", {"stabilize"}, &check_stabilize};
const registration stored{"hpa-behavior", {"store_event"}, &check_store_event};
const registration timelines{"hpa-behavior", {"timeline"}, &check_timeline};

}  // namespace
}  // namespace conformance::hpa_behavior
