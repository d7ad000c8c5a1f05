// A state in words; json.hpp has the form.
#include "decide/forecast/describe.hpp"

#include "base/json_writer.hpp"
#include "decide/state/json/json.hpp"
#include "decide/state/words.hpp"

namespace gputide::decide {

namespace {

void describe_time(json_writer& out, std::string_view name, std::int64_t time_ms) {
    out.key(name);
    if (time_ms == absent) {
        out.null();
    } else {
        out.integer(time_ms);
    }
}

void describe_health(json_writer& out, const metric_health& health) {
    out.begin_object().member("failures", health.failures);
    out.member("status", health.failing ? "Failing" : "Happy");
    if (health.last.state != sample_state::not_given) {
        out.key("last").begin_object().member("state", sample_state_name(health.last.state));
        if (health.last.status != status::ok) out.member("status", std::string_view(status_name(health.last.status)));
        if (health.last.state == sample_state::ok) out.member("value", health.last.value);
        if (health.last.null_as_zero) out.member("null_as_zero", true);
        out.member("time_ms", health.last.time_ms).end_object();
    }
    if (const hpa_read& read = health.read; read.time_ms != absent) {
        out.key("hpa_read").begin_object().member("time_ms", read.time_ms).member("value_milli", read.value_milli);
        out.member("active", read.active).member("error", read.error).member("fallback", read.fallback).end_object();
    }
    out.end_object();
}

void describe_events(json_writer& out, std::string_view name, const std::vector<scale_event>& events) {
    out.key(name).begin_array();
    for (const scale_event& one : events) {
        out.begin_object().member("change", one.change).member("time_ms", one.time_ms);
        out.member("outdated", one.outdated).end_object();
    }
    out.end_array();
}

void describe_conditions(json_writer& out, const state& state) {
    out.key("conditions").begin_array();
    for (std::size_t i = 0; i < condition_count; ++i) {
        const condition& one = state.conditions[i];
        if (one.truth == truth::absent) continue;
        out.begin_object().member("type", condition_name(static_cast<condition_type>(i)));
        out.member("status", truth_name(one.truth));
        if (one.reason != reason::none) out.member("reason", reason_name(one.reason));
        out.member("since_ms", one.since_ms).end_object();
    }
    out.end_array();
}

// By the name that "health" uses too.
std::string_view described_metric(const policy& policy, std::int32_t metric) {
    if (metric == composite_metric) return state_words::composite;
    return policy.metrics[static_cast<std::size_t>(metric)].label();
}

void describe_verdict(json_writer& out, const policy& policy, const verdict& last) {
    out.key("verdict");
    if (last.time_ms == absent) {
        out.null();
        return;
    }
    out.begin_object().member("time_ms", last.time_ms).member("proposed_replicas", last.proposed_replicas);
    out.member("limited_by", limit_name(last.limited_by)).member("metrics", last.metric_count);
    if (last.winner != -1) out.member("winner", described_metric(policy, last.winner));
    if (last.failed_count > 0) {
        out.member("failed", last.failed_count);
        if (last.failed_metric != -1) out.member("failed_metric", described_metric(policy, last.failed_metric));
        out.member("failure", metric_failure_name(last.failure));
        out.member("failed_state", sample_state_name(last.failed_state));
    }
    out.end_object();
}

void describe_forecast(json_writer& out, const state& state) {
    for (const load_forecast& one : state.forecast) {
        out.key("forecast").begin_object();
        write_forecast(out, one);
        out.end_object();
    }
}

}  // namespace

std::string describe_state(const policy& policy, const state& state) {
    json_writer out;
    out.begin_object().member("kind", state_words::kind(policy));
    out.member("namespace", policy.scaling.name_space).member("name", policy.scaling.name);
    describe_time(out, "created_ms", state.created_ms);
    describe_time(out, "last_active_ms", state.last_active_ms);
    describe_time(out, "last_executor_ms", state.last_executor_ms);
    describe_time(out, "last_hpa_ms", state.last_hpa_ms);
    out.member("seen", state.seen).member("fallback_active", state.fallback_active);
    out.member("scaled_to_zero", state.scaled_to_zero);
    out.key("health").begin_object();
    for (std::size_t i = 0; i < state.health.size() && i < policy.metrics.size(); ++i) {
        out.key(policy.metrics[i].label());
        describe_health(out, state.health[i]);
    }
    out.end_object().key("history").begin_array();
    for (const recommendation& one : state.recommendations) {
        out.begin_object().member("replicas", one.replicas).member("time_ms", one.time_ms).end_object();
    }
    out.end_array();
    describe_events(out, "up_events", state.ups);
    describe_events(out, "down_events", state.downs);
    describe_conditions(out, state);
    out.key("confirmations").begin_array();
    for (const std::int32_t one : state.confirmations) out.integer(one);
    out.end_array().member("decisions", std::int64_t{state.decisions}).member("recorded", std::int64_t{state.recorded});
    describe_verdict(out, policy, state.last_verdict);
    describe_forecast(out, state);
    return out.end_object().take();
}

}  // namespace gputide::decide
