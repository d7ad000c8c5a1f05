// hpa-behavior: limits, stabilization, events through their formulas; whole timelines through decide() and record_applied().
#include "decide/decide.hpp"
#include "decide/hpa/behavior.hpp"
#include "inside/hpa_json.hpp"

namespace conformance::hpa_behavior {
namespace {

using namespace gputide::decide;
namespace manifest = gputide::manifest;

std::int32_t window_of(const json& object) { return object.value("downscale_window_s", 300); }

struct legacy {
    double factor;
    double least;
};

legacy legacy_of(const json& object) {
    return {object.value("legacy_up_factor", 2.0), object.value("legacy_up_min", 4.0)};
}

std::int32_t legacy_limit_of(const json& object) {
    return legacy_up_limit(object.at("current").get<std::int32_t>(), legacy_of(object).factor, legacy_of(object).least);
}

void compare_expected(differences& out, const json& expect, const json& got) {
    for (const auto& [name, value] : expect.items()) expect_equal(out, name, value, got.value(name, json()));
}

differences compared(const json& test_case, const json& got) {
    differences out;
    compare_expected(out, test_case.at("expect"), got);
    return out;
}

differences check_legacy_limit(const json& test_case, const json&) {
    return compared(test_case, {{"limit", legacy_limit_of(test_case)}});
}

replica_bounds bounds_of(const json& object) {
    return {object.at("min").get<std::int32_t>(), object.at("max").get<std::int32_t>()};
}

json bounded_json(const bounded& made) { return {{"replicas", made.replicas}, {"reason", reason_name(made.why)}}; }

differences check_legacy_convert(const json& test_case, const json&) {
    return compared(test_case, bounded_json(bound_legacy(test_case.at("current").get<std::int32_t>(),
                                                         test_case.at("desired").get<std::int32_t>(),
                                                         bounds_of(test_case), legacy_limit_of(test_case))));
}

struct both_events {
    explicit both_events(const json& object)
        : ups(events_of(object.value("up_events", json::array()))),
          downs(events_of(object.value("down_events", json::array()))) {}
    event_history view() const { return {ups, downs, hpa_now_ms}; }

    std::vector<scale_event> ups;
    std::vector<scale_event> downs;
};

differences check_limit(const json& test_case, const json&) {
    const bool up = test_case.at("kind") == "up_limit";
    const manifest::behavior defaults = default_hpa_behavior(window_of(test_case));
    const manifest::scaling_rules rules =
        hpa_rules_of(test_case.value("rules", json()), up ? defaults.up : defaults.down);
    const both_events events(test_case);
    const auto current = test_case.at("current").get<std::int32_t>();
    const rate_limit made = up ? up_limit(rules, current, events.view()) : down_limit(rules, current, events.view());
    return compared(test_case, {{"limit", made.replicas}});
}

differences check_rate(const json& test_case, const json&) {
    const std::optional<manifest::behavior> rules = hpa_behavior_of(test_case.at("behavior"), window_of(test_case));
    const both_events events(test_case);

    return compared(test_case, bounded_json(bound(rules.value(), test_case.at("current").get<std::int32_t>(),
                                                  test_case.at("desired").get<std::int32_t>(), bounds_of(test_case),
                                                  events.view())));
}

json history_json(const recommendation_history& history) {
    json out = json::array();
    for (const recommendation& recommendation : history) out.push_back(recommendation.replicas);
    return out;
}

json stabilized_json(const stabilized& made, const recommendation_history& history) {
    return {{"replicas", made.replicas}, {"reason", reason_name(made.why)}, {"history", history_json(history)}};
}

differences check_stabilize_legacy(const json& test_case, const json&) {
    recommendation_history history = history_of(test_case.at("history"));
    const stabilized made = stabilize_legacy(history, test_case.at("desired").get<std::int32_t>(),
                                             test_case.value("window_s", window_of(test_case)), hpa_now_ms);
    return compared(test_case, stabilized_json(made, history));
}

differences check_stabilize(const json& test_case, const json&) {
    recommendation_history history = history_of(test_case.at("history"));
    const stabilized made = stabilize(
        history, test_case.at("current").get<std::int32_t>(), test_case.at("desired").get<std::int32_t>(),
        test_case.at("up_window_s").get<std::int32_t>(), test_case.at("down_window_s").get<std::int32_t>(), hpa_now_ms);
    return compared(test_case, stabilized_json(made, history));
}

// Without rules there is no behavior, and a write stores nothing.
differences check_store_event(const json& test_case, const json&) {
    std::vector<scale_event> events = events_of(test_case.at("events"));
    json got = {{"change_last_60s", changed_within(events, 60, hpa_now_ms)}};
    if (test_case.at("rules").is_object()) {
        const manifest::scaling_rules rules = hpa_rules_of(test_case.at("rules"), {});
        store_event(events, rules, test_case.at("change").get<std::int32_t>(), hpa_now_ms);
    } else {
        got["change_last_60s"] = 0;
    }
    got["events"] = json::array();
    for (const scale_event& event : events) got["events"].push_back(json::array({event.change, event.outdated}));
    return compared(test_case, got);
}

// ---- timelines ------------------------------------------------------------------------------------------------------

// One metric; its value at target 1 is the raw recommendation itself, and no band in which it would not move.
policy policy_of(const json& object) {
    metric_policy metric;
    metric.name = "raw";
    metric.type = manifest::target_type::average_value;
    metric.target_milli = 1000;
    metric.rules.scale_up_above = 1.0;
    metric.rules.scale_down_below = 1.0;
    policy out;
    out.metrics = {metric};
    out.scaling.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    out.scaling.min = object.at("min").get<std::int32_t>();
    out.scaling.max = object.at("max").get<std::int32_t>();
    out.scaling.extra.sync_period_ms = 0;                                        // the steps are the passes
    if (*out.scaling.min == 0) out.scaling.controller.versions.kubernetes = 35;  // a minimum of 0 may leave 0
    out.scaling.controller.downscale_window_s = window_of(object);
    out.legacy_up_factor = legacy_of(object).factor;
    out.legacy_up_min = legacy_of(object).least;
    out.scaling.behavior = hpa_behavior_of(object.at("behavior"), out.scaling.controller.downscale_window_s);
    return out;
}

state state_of(const json& object, const policy& by) {
    state out = make_state(by);
    if (!object.contains("history") || object.at("history").is_null()) return out;
    out.seen = true;
    out.recommendations = history_of(object.at("history"));
    return out;
}

observation seen_at(std::int64_t now_ms, std::int32_t replicas, const gputide::sample& value) {
    observation out;
    out.now_ms = now_ms;
    out.spec_replicas = replicas;
    out.samples = {&value, 1};
    return out;
}

differences check_timeline(const json& test_case, const json&) {
    const policy by = policy_of(test_case);
    state with = state_of(test_case, by);
    auto replicas = test_case.at("start_replicas").get<std::int32_t>();
    json got = {{"replicas", json::array()}, {"able_reason", json::array()}, {"limit_reason", json::array()}};
    for (const json& step : test_case.at("steps")) {
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
    return compared(test_case, got);
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
