// Writing a state; text.hpp has the form.
#include "base/checksum.hpp"
#include "base/json_writer.hpp"
#include "decide/state/text.hpp"
#include "decide/state/words.hpp"
#include "forecast/text.hpp"

namespace gputide::decide {

namespace {

void write_time(json_writer& out, std::string_view name, std::int64_t time_ms) {
    out.key(name);
    if (time_ms == absent) {
        out.null();
    } else {
        out.integer(time_ms);
    }
}

void write_metric(json_writer& out, const metric_policy& metric, const metric_health& health) {
    out.begin_array().string(metric.name).integer(health.failures).boolean(health.failing);
    out.integer(state_words::saved_number(health.last.state)).integer(static_cast<std::int32_t>(health.last.status));
    out.number(health.last.value).integer(health.last.time_ms).boolean(health.last.null_as_zero);
    if (health.last.has_words())
        out.integer(static_cast<std::int32_t>(health.last.activity)).integer(health.last.target_milli);
    if (const hpa_read& read = health.read; read.time_ms != absent) {
        out.begin_array().integer(read.time_ms).integer(read.value_milli).boolean(read.active);
        out.boolean(read.error).boolean(read.fallback).end_array();
    }
    out.end_array();
}

void write_metrics(json_writer& out, const policy& policy, const state& state) {
    out.key("metrics").begin_array();
    for (std::size_t i = 0; i < state.health.size() && i < policy.metrics.size(); ++i) {
        write_metric(out, policy.metrics[i], state.health[i]);
    }
    out.end_array();
}

void write_recommendations(json_writer& out, const recommendation_history& list) {
    out.key("recommendations").begin_array();
    for (const recommendation& one : list) out.begin_array().integer(one.replicas).integer(one.time_ms).end_array();
    out.end_array();
}

void write_events(json_writer& out, std::string_view name, const std::vector<scale_event>& list) {
    out.key(name).begin_array();
    for (const scale_event& one : list) {
        out.begin_array().integer(one.change).boolean(one.outdated).integer(one.time_ms).end_array();
    }
    out.end_array();
}

void write_confirmations(json_writer& out, const state& state) {
    out.key("confirmations").begin_array();
    for (const std::int32_t one : state.confirmations) out.integer(one);
    out.end_array();
}

void write_conditions(json_writer& out, const state& state) {
    out.key("conditions").begin_array();
    for (const condition& one : state.conditions) {
        out.begin_array().integer(static_cast<std::int32_t>(one.truth));
        out.integer(static_cast<std::int32_t>(one.reason)).integer(one.since_ms).end_array();
    }
    out.end_array();
}

void write_verdict(json_writer& out, const verdict& last) {
    out.key("verdict");
    if (last.time_ms == absent) {
        out.null();
        return;
    }
    out.begin_array().integer(last.time_ms).integer(last.proposed_replicas);
    out.integer(static_cast<std::int32_t>(last.limited_by)).integer(last.winner).integer(last.failed_metric);
    out.integer(last.failed_count).integer(last.metric_count).integer(static_cast<std::int32_t>(last.failure));
    out.integer(state_words::saved_number(last.failed_state)).end_array();
}

// The shadow has what the HPA half keeps, in the same words.
void save_forecast(json_writer& out, const load_forecast& one) {
    out.key("forecast").begin_object().member("subject", one.subject).member("need", one.need);
    forecast::write(out, one.memory, one.settings);
    out.key("shadow").begin_array().integer(one.shadow_replicas).boolean(one.shadow.seen).end_array();
    write_recommendations(out, one.shadow.recommendations);
    write_events(out, "ups", one.shadow.ups);
    write_events(out, "downs", one.shadow.downs);
    write_confirmations(out, one.shadow);
    out.end_object();
}

}  // namespace

std::string save_state(const policy& policy, const state& state) {
    json_writer out;
    out.begin_object().member("gputide_state", state_words::version);
    out.member("kind", state_words::kind(policy))
        .member("namespace", policy.scaling.name_space)
        .member("name", policy.scaling.name);
    write_time(out, "created", state.created_ms);
    write_time(out, "last_active", state.last_active_ms);
    write_time(out, "last_executor", state.last_executor_ms);
    write_time(out, "last_hpa", state.last_hpa_ms);
    out.member("seen", state.seen).member("fallback", state.fallback_active);
    out.member("scaled_to_zero", state.scaled_to_zero);
    write_metrics(out, policy, state);
    write_recommendations(out, state.recommendations);
    write_events(out, "ups", state.ups);
    write_events(out, "downs", state.downs);
    write_conditions(out, state);
    write_confirmations(out, state);
    write_verdict(out, state.last_verdict);
    out.key("decisions").begin_array().integer(state.decisions).integer(state.recorded).integer(state.salt);
    out.integer(state.former_salt).integer(state.former_decisions).end_array();
    out.key("spec").begin_array().integer(state.spec.hpa).integer(state.spec.whole).end_array();
    if (policy.forecast && !state.forecast.empty()) save_forecast(out, state.forecast.front());
    return sealed(out.take());
}

}  // namespace gputide::decide
