// Writes the steps of metrics: each trigger's value, age and activity and, if the HPA half ran, its proposal and the values
// at which the proposal changes.
#include "base/saturate.hpp"
#include "decide/saturate.hpp"
#include "decide/trace/report.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

struct turning_points {
    double up_above = 0.0;
    double down_below = 0.0;
};

// Returns the turning points in the metric's unit: a value above the first scales up, a value below the second scales down.
// AverageValue: target * band * replicas, since the total is compared; Value: target * band.
// Example: target 5, 3 replicas, band 0.9..1.1 → 16.5 and 13.5.
turning_points turning_points_of(double target, bool per_replica, std::int32_t replicas, const tolerance& band) {
    const double scale = per_replica ? target * std::max(replicas, 0) : target;
    return {scale * band.high, scale * band.low};
}

// Writes how a GPU's value was read, if its source reports that.
void say_way(step_writer& out, const sample& value) {
    const std::string_view way = read_by_name(value.read_by);
    if (way.empty()) return;
    out.member("read_by", way);
    if (value.interval_ms > 0) {
        out.member("interval_ms", value.interval_ms);
        out.say(", averaged over {}", format_duration_ms(value.interval_ms));
    } else {
        out.say(", a single sample of the driver");
    }
}

void say_value(step_writer& out, const metric_trace& read, std::int64_t now_ms) {
    out.member("state", sample_state_name(read.value.state));
    if (read.value.state == sample_state::ok) {
        out.member("value", read.value.value).say("{}", shown(read.value.value));
        if (read.value.null_as_zero) out.member("null_as_zero", true).say(" (no value, read as 0)");
        say_way(out, read.value);
    } else {
        out.say("no value: {}", sample_state_text(read.value.state));
    }
    if (read.read.time_ms > 0) {
        // A peer's clock may be slightly ahead.
        const std::int64_t age_ms = std::max<std::int64_t>(0, subtract_saturating(now_ms, read.read.time_ms));
        out.member("age_ms", age_ms).say(" ({} old)", format_duration_ms(age_ms));
    }
    if (read.from_cache) out.member("from_cache", true).say(", from the last poll");
    if (read.from_hpa) out.member("from_hpa", true).say(", from the HPA's last pass");
}

// The name in JSON of each no_data_action, and its sentence.
constexpr code_text no_data_rows[] = {
    {}, {"hold", "hold the size"}, {"fallback", "fall back now"}, {"error", "an error"}};
static_assert(std::size(no_data_rows) == static_cast<std::size_t>(no_data_action::error) + 1);

void say_rule(step_writer& out, const metric_trace& read) {
    if (read.action == no_data_action::none) return;
    const code_text row = row_of(no_data_rows, read.action);
    out.member("no_data", row.name).say("; no-data rule: {}", row.text);
}

void say_passed(step_writer& out, const metric_policy& metric, const metric_trace& read) {
    out.member("active", read.passed.active).member("error", read.passed.error);
    if (read.value.activity != activity_word::none && !read.passed.error) {
        out.say("{}",
                read.passed.active ? "; active, as reported by its source" : "; not active, as reported by its source");
    } else if (metric.decides_activity && !read.passed.error) {
        out.member("activation_threshold", metric.activation_threshold);
        out.say("{}{}", read.passed.active ? "; active, above " : "; not active, not above ",
                shown(metric.activation_threshold));
    }
    if (read.passed.failures > 0) {
        out.member("failures", read.passed.failures).say("; {} in a row", counted(read.passed.failures, "failure"));
    }
    if (read.passed.fallback_active) {
        out.member("fallback", true).member("fallback_value", approximate_value(read.passed.value_milli));
        out.say("; fallback value {}", shown(approximate_value(read.passed.value_milli)));
    }
}

void say_target(step_writer& out, const proposal& proposal, double target, manifest::target_type type,
                const tolerance& band, std::int32_t replicas) {
    const bool per_replica = type == manifest::target_type::average_value;
    const bool percent = type == manifest::target_type::utilization;
    const turning_points at = turning_points_of(target, per_replica, replicas, band);
    out.member("target", target)
        .member("target_type", percent       ? "Utilization"
                               : per_replica ? "AverageValue"
                                             : "Value");
    out.member("ratio", proposal.ratio).member("tolerance_low", band.low).member("tolerance_high", band.high);
    out.member("within_tolerance", proposal.within_tolerance).member("proposed_replicas", proposal.replicas);
    out.member("scales_up_above", at.up_above).member("scales_down_below", at.down_below);
    out.say("; target {}{}, ratio {}", shown(target),
            percent       ? " %"
            : per_replica ? " per replica"
                          : "",
            shown(proposal.ratio));
    out.say("{}{}..{} → {}", proposal.within_tolerance ? " within " : " outside ", shown(band.low), shown(band.high),
            counted(proposal.replicas, "replica"));
    if (proposal.guarded) out.member("guarded", true).say(" (starting replicas count as capacity)");
    out.say("; scales up above {}, down below {}", shown(at.up_above), shown(at.down_below));
}

void say_pods(step_writer& out, const proposal& proposal, const metric_policy& metric) {
    if (is_one_number(metric.kind)) return;
    out.member("mean", approximate_value(proposal.usage_milli));
    out.say("mean over the pods {}", shown(approximate_value(proposal.usage_milli)));
    if (metric.type != manifest::target_type::utilization) return;
    out.member("utilization_percent", proposal.utilization_pct).say(" ({} %)", proposal.utilization_pct);
}

// Pods and Resource metrics average over pods: their turning points are per pod, independent of the replicas.
void say_proposal(step_writer& out, const policy& policy, const metric_policy& metric, const metric_trace& read,
                  const proposal& proposal, const trace& trace) {
    if (proposal.held) {
        out.member("proposed_replicas", proposal.replicas).say(" → stays at {}", counted(proposal.replicas, "replica"));
        return;
    }
    const double target = metric.target_in(metric.target_milli_for(read.value));
    say_target(out, proposal, target, metric.type, tolerance_of(metric, target, tolerance_of(policy)),
               is_one_number(metric.kind) ? trace.status_replicas : 1);
}

const proposal* proposal_of(const trace& trace, std::int32_t metric) {
    for (const proposal& candidate : trace.hpa.proposals) {
        if (candidate.metric == metric) return &candidate;
    }
    return nullptr;
}

void say_failure(step_writer& out, const policy& policy, const decision& decision, const proposal& proposed,
                 const text_details& details) {
    decide::decision alone = decision;
    alone.failed_metric = proposed.metric;
    alone.failure = proposed.failure;
    alone.failed_state = proposed.read;
    alone.failed_pod = proposed.pod;
    const bool explained = proposed.metric == decision.failed_metric;
    out.member("failure", metric_failure_name(proposed.failure));
    out.say("; no proposal: {}", metric_error_text(policy, alone, explained ? details : text_details{}));
}

void write_metric_step(step_sink& sink, const policy& policy, const decision& decision, const trace& trace,
                       std::size_t at, const text_details& details) {
    const metric_policy& metric = policy.metrics[at];
    const metric_trace& read = trace.metrics[at];
    const proposal* proposed = proposal_of(trace, static_cast<std::int32_t>(at));
    const bool one_number = is_one_number(metric.kind);
    const std::string_view name = trigger_name(policy, static_cast<std::int32_t>(at));
    step_writer out(sink, "metric");
    out.member("metric", name).say("{}: ", name);
    if (one_number || proposed == nullptr) {
        say_value(out, read, trace.now_ms);
    } else if (proposed->failure != metric_failure::none) {
        out.say("no value");
    }
    say_rule(out, read);
    if (one_number) say_passed(out, metric, read);
    if (proposed == nullptr) return out.done();
    if (proposed->failure != metric_failure::none) {
        say_failure(out, policy, decision, *proposed, details);
        return out.done();
    }
    if (!proposed->held) out.member("usage_milli", proposed->usage_milli);
    say_pods(out, *proposed, metric);
    say_proposal(out, policy, metric, read, *proposed, trace);
    out.done();
}

// The name in JSON of each composite_state, and how the value was computed; composite_failure_text() says why it is missing.
constexpr code_text composite_rows[] = {
    {"held"},
    {"formula", "the formula's result"},
    {"fallback", "a trigger is in fallback, the formula was skipped"},
    {"nil_replaced", "the formula returned nil: fallback.replicas times the target"},
    {"trigger_error"},
    {"formula_error"},
    {"nil_error"},
    {"not_finite"},
    {"activation_error"},
};
static_assert(std::size(composite_rows) == static_cast<std::size_t>(composite_state::activation_error) + 1);

void write_composite_step(step_sink& sink, const policy& policy, const composite& value, const trace& trace) {
    step_writer out(sink, "formula");
    out.member("metric", "composite-metric").member("state", row_of(composite_rows, value.state).name);
    out.say("composite-metric: ");
    if (value.has_value && value.state != composite_state::none) {
        out.member("value", approximate_value(value.value_milli)).member("active", value.active);
        out.say("{}{}{} ({})", shown(approximate_value(value.value_milli)),
                value.active ? ", active, above " : ", not active, not above ", shown(policy.composite_activation),
                row_of(composite_rows, value.state).text);
    } else {
        const bool held = value.state == composite_state::none;
        out.say("no value: {}", held ? "held, because a variable has no data" : composite_failure_text(value));
    }
    const proposal* proposed = proposal_of(trace, composite_metric);
    if (proposed != nullptr && proposed->failure == metric_failure::none && !proposed->held &&
        policy.scaling.modifiers) {
        say_target(out, *proposed, static_cast<double>(policy.composite_target_milli) / 1000.0,
                   policy.scaling.modifiers->metric_type, tolerance_of(policy), trace.status_replicas);
    }
    out.done();
}

}  // namespace

void write_metric_steps(step_sink& sink, const policy& policy, const decision& decision, const trace& trace,
                        const text_details& details) {
    for (std::size_t i = 0; i < trace.metrics.size() && i < policy.metrics.size(); ++i) {
        write_metric_step(sink, policy, decision, trace, i, details);
    }
    if (!policy.formula || trace.metrics.empty()) return;
    write_composite_step(sink, policy, composite_of(trace), trace);
}

}  // namespace gputide::decide
