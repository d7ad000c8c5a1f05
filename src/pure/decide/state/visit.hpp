// Names the members of a saved state once for all archives: the saved text and the JSON (text.hpp). base/archive.hpp defines
// archives.
#pragma once

#include "base/archive.hpp"
#include "base/limits.hpp"
#include "decide/decision.hpp"
#include "decide/hpa/behavior.hpp"
#include "decide/policy.hpp"
#include "decide/saturate.hpp"
#include "decide/state/state.hpp"
#include "forecast/visit.hpp"

#include <limits>

namespace gputide::decide {

static_assert(farthest_time_ms == latest_ms);

inline constexpr std::string_view composite_name = "composite-metric";

inline std::string_view kind_name(const policy& policy) noexcept {
    return policy.scaling.kind == manifest::manifest_kind::scaled_object ? "ScaledObject" : "HorizontalPodAutoscaler";
}

// JSON has the name of a metric, a text its index.
template <class Archive>
void visit_metric_index(Archive& at, member_name name, visited<Archive, std::int32_t>& metric) {
    if constexpr (Archive::is_text) {
        at.integer(name, metric, composite_metric, std::int64_t{limits::triggers} - 1);
    } else if (at.shows(metric != -1)) {
        at.metric(name, metric);
    }
}

template <class Archive>
void visit(Archive& at, visited<Archive, sample>& last) {
    at.code("state", last.state, sample_state::failed, sample_state_name);
    if (at.shows(last.status != status::ok)) at.code("status", last.status, status::not_found, status_name);
    if (at.shows(last.state == sample_state::ok)) {
        constexpr double max = std::numeric_limits<double>::max();
        at.number("value", last.value, -max, max);
    }
    at.time("time_ms", last.time_ms);
    if (at.shows(last.null_as_zero)) at.boolean("null_as_zero", last.null_as_zero);
    if constexpr (Archive::is_text) {
        at.code("activity", last.activity, activity_word::active);
        at.integer("target_milli", last.target_milli, 0);
    }
}

template <class Archive>
void visit(Archive& at, visited<Archive, hpa_read>& read) {
    at.time("time_ms", read.time_ms);
    at.integer("value_milli", read.value_milli);
    at.boolean("active", read.active);
    at.boolean("error", read.error);
    at.boolean("fallback", read.fallback);
}

template <class Archive>
void visit(Archive& at, visited<Archive, metric_health>& health) {
    at.integer("failures", health.failures, 0);
    if constexpr (Archive::is_text) {
        at.boolean("failing", health.failing);
    } else {
        at.code("status", health.failing, true, [](bool failing) { return failing ? "Failing" : "Happy"; });
    }
    at.nested("last", health.last.state != sample_state::not_given, [&] { visit(at, health.last); });
    at.optional_record("hpa_read", health.read.time_ms != absent, [&] { visit(at, health.read); });
}

template <class Archive>
void visit(Archive& at, visited<Archive, recommendation>& entry) {
    at.integer("replicas", entry.replicas);
    at.time("time_ms", entry.time_ms);
}

template <class Archive>
void visit(Archive& at, visited<Archive, scale_event>& event) {
    at.integer("change", event.change, 1);
    at.boolean("outdated", event.outdated);
    at.time("time_ms", event.time_ms);
}

template <class Archive>
void visit(Archive& at, visited<Archive, condition>& condition) {
    at.code("status", condition.truth, truth::unknown, truth_name);
    if (at.shows(condition.reason != reason::none)) {
        at.code("reason", condition.reason, reason::error_scaling_target, reason_name);
    }
    at.time("since_ms", condition.since_ms);
}

template <class Archive>
void visit(Archive& at, visited<Archive, verdict>& last) {
    at.time("time_ms", last.time_ms);
    at.integer("proposed_replicas", last.proposed_replicas);
    at.code("limited_by", last.limited_by, limit::no_capacity, limit_name);
    visit_metric_index(at, "winner", last.winner);
    const bool failed = at.shows(last.failed_count > 0);
    if (failed) {
        visit_metric_index(at, "failed_metric", last.failed_metric);
        at.integer("failed", last.failed_count, 0);
    }
    at.integer("metrics", last.metric_count, 0);
    if (failed) {
        at.code("failure", last.failure, metric_failure::no_data_rule, metric_failure_name);
        at.code("failed_state", last.failed_state, sample_state::failed, sample_state_name);
    }
}

// The HPA half's history of its passes.
template <class Archive>
void visit_passes(Archive& at, visited<Archive, state>& state) {
    at.list({"recommendations", "history"}, state.recommendations, max_recommendations);
    at.list({"ups", "up_events"}, state.ups, max_scale_events);
    at.list({"downs", "down_events"}, state.downs, max_scale_events);
}

// Only the text has the seeds of the ids: a state from JSON starts without decisions of its own.
template <class Archive>
void visit_decisions(Archive& at, visited<Archive, state>& state) {
    at.integer("decisions", state.decisions);
    at.integer("recorded", state.recorded, 0, state.decisions);
    if constexpr (Archive::is_text) {
        at.integer("id_seed", state.id_seed);
        at.integer("original_seed", state.original_seed);
        at.integer("original_decisions", state.original_decisions, 0, state.decisions);
    }
}

// The shadow has the HPA half's members, under the same names.
template <class Archive>
void visit(Archive& at, visited<Archive, load_forecast>& forecast) {
    at.integer("subject", forecast.subject);
    at.integer("need", forecast.need, -1);
    visit(at, forecast.memory, forecast.settings);
    at.record("shadow", [&] {
        at.integer("replicas", forecast.shadow_replicas, -1);
        at.boolean("seen", forecast.shadow.seen);
    });
    visit_passes(at, forecast.shadow);
    at.integers("confirmations", forecast.shadow.confirmations, -1, 1);
}

template <class Archive>
void visit(Archive& at, visited<Archive, state>& state) {
    at.time_or_null({"created", "created_ms"}, state.created_ms, absent);
    at.time_or_null({"last_active", "last_active_ms"}, state.last_active_ms, absent);
    at.time_or_null({"last_executor", "last_executor_ms"}, state.last_executor_ms, absent);
    at.time_or_null({"last_hpa", "last_hpa_ms"}, state.last_hpa_ms, absent);
    at.boolean("seen", state.seen);
    at.boolean({"fallback", "fallback_active"}, state.fallback_active);
    at.boolean("scaled_to_zero", state.scaled_to_zero);
    at.metrics({"metrics", "health"}, state.health);
    visit_passes(at, state);
    at.conditions("conditions", state.conditions);
    at.integers("confirmations", state.confirmations, -1, 1);
    bool concluded = state.last_verdict.time_ms != absent;
    at.optional("verdict", concluded, [&] { at.record(unnamed, [&] { visit(at, state.last_verdict); }); });
    if constexpr (Archive::is_text) {
        at.record("decisions", [&] { visit_decisions(at, state); });
        at.record("spec", [&] {
            at.integer("hpa", state.spec.hpa);
            at.integer("whole", state.spec.whole);
        });
    } else {
        visit_decisions(at, state);
    }
    at.forecast("forecast", state.forecast);
}

}  // namespace gputide::decide
