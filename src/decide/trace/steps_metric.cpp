// The steps of what was read: each trigger's value, age and activity, and where the HPA half ran its proposal and the values
// at which that would change.
#include "decide/keda/go_numbers.hpp"
#include "decide/saturate.hpp"
#include "decide/trace/step_writer.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

struct turning_points {
    double up_above = 0.0;
    double down_below = 0.0;
};

// In the metric's own unit: a value above the first scales up, one below the second down.
// AverageValue: target * band * replicas, since the whole is compared; Value: target * band.
// Worked: target 5, 3 replicas, band 0.9..1.1 → 16.5 and 13.5.
turning_points turning_points_of(double target, bool per_replica, std::int32_t replicas, const tolerance& band) {
    const double scale = per_replica ? target * std::max(replicas, 0) : target;
    return {scale * band.high, scale * band.low};
}

void say_value(step_writer& out, const metric_trace& of, std::int64_t now_ms) {
    out.member("state", sample_state_name(of.value.state));
    if (of.value.state == sample_state::ok) {
        out.member("value", of.value.value).say(shown(of.value.value));
        if (of.value.null_as_zero) out.member("null_as_zero", true).say(" (no value, read as 0)");
    } else {
        out.say("no value: ", sample_state_text(of.value.state));
    }
    if (of.read.time_ms > 0) {
        // A peer's clock may be a little ahead.
        const std::int64_t age_ms = std::max<std::int64_t>(0, subtract_saturating(now_ms, of.read.time_ms));
        out.member("age_ms", age_ms).say(" (", format_duration_ms(age_ms), " old)");
    }
    if (of.from_cache) out.member("from_cache", true).say(", from the last poll");
}

void say_rule(step_writer& out, const metric_trace& of) {
    switch (of.action) {
        case no_data_action::none:
            return;
        case no_data_action::hold:
            out.member("no_data", "hold").say("; no-data rule: hold the size");
            return;
        case no_data_action::fallback:
            out.member("no_data", "fallback").say("; no-data rule: fall back now");
            return;
        case no_data_action::error:
            out.member("no_data", "error").say("; no-data rule: an error");
            return;
    }
}

void say_passed(step_writer& out, const metric_policy& metric, const metric_trace& of) {
    out.member("active", of.passed.active).member("error", of.passed.error);
    if (metric.decides_activity && !of.passed.error) {
        out.member("activation_threshold", metric.activation_threshold);
        out.say(of.passed.active ? "; active, above " : "; not active, not above ", shown(metric.activation_threshold));
    }
    if (of.passed.failures > 0) {
        out.member("failures", of.passed.failures).say("; ", counted(of.passed.failures, "failure"), " in a row");
    }
    if (of.passed.fallback_active) {
        out.member("fallback", true).member("fallback_value", approximate_value(of.passed.value_milli));
        out.say("; fallback answers with ", shown(approximate_value(of.passed.value_milli)));
    }
}

void say_target(step_writer& out, const proposal& made, double target, config::target_type type, const tolerance& band,
                std::int32_t replicas) {
    const bool per_replica = type == config::target_type::average_value;
    const bool percent = type == config::target_type::utilization;
    const turning_points at = turning_points_of(target, per_replica, replicas, band);
    out.member("target", target)
        .member("target_type", percent       ? "Utilization"
                               : per_replica ? "AverageValue"
                                             : "Value");
    out.member("ratio", made.ratio).member("tolerance_low", band.low).member("tolerance_high", band.high);
    out.member("within_tolerance", made.within_tolerance).member("proposed_replicas", made.replicas);
    out.member("scales_up_above", at.up_above).member("scales_down_below", at.down_below);
    out.say("; target ", shown(target),
            percent       ? " %"
            : per_replica ? " per replica"
                          : "",
            ", ratio ", shown(made.ratio));
    out.say(made.within_tolerance ? " within " : " outside ", shown(band.low), "..", shown(band.high), " → ",
            counted(made.replicas, "replica"));
    if (made.guarded) out.member("guarded", true).say(" (starting replicas count as capacity)");
    out.say("; scales up above ", shown(at.up_above), ", down below ", shown(at.down_below));
}

void say_pods(step_writer& out, const proposal& made, const metric_policy& metric) {
    if (metric.kind == metric_kind::external || metric.kind == metric_kind::object) return;
    out.member("mean", approximate_value(made.usage_milli));
    out.say("mean over the pods ", shown(approximate_value(made.usage_milli)));
    if (metric.type != config::target_type::utilization) return;
    out.member("utilization_percent", made.utilization_pct).say(" (", shown(made.utilization_pct), " %)");
}

// Pods and Resource metrics average over pods: their turning points are per pod whatever the replicas.
void say_proposal(step_writer& out, const policy& by, const metric_policy& metric, const proposal& made,
                  const trace& of) {
    if (made.held) {
        out.member("proposed_replicas", made.replicas).say(" → stays at ", counted(made.replicas, "replica"));
        return;
    }
    const bool one_number = metric.kind == metric_kind::external || metric.kind == metric_kind::object;
    const bool percent = metric.type == config::target_type::utilization;
    const double target = percent ? metric.utilization_pct : static_cast<double>(metric.target_milli) / 1000.0;
    say_target(out, made, target, metric.type, tolerance_of(metric, tolerance_of(by)),
               one_number ? of.status_replicas : 1);
}

const proposal* proposal_of(const trace& of, std::int32_t metric) {
    for (const proposal& one : of.hpa.proposals) {
        if (one.metric == metric) return &one;
    }
    return nullptr;
}

void say_failure(step_writer& out, const policy& by, const decision& made, const proposal& of,
                 const text_details& details) {
    decision alone = made;
    alone.failed_metric = of.metric;
    alone.failure = of.failure;
    alone.failed_state = of.read;
    alone.failed_pod = of.pod;
    const bool told = of.metric == made.failed_metric;
    out.member("failure", metric_failure_name(of.failure));
    out.say("; no proposal: ", metric_error_text(by, alone, told ? details : text_details{}));
}

trace_step metric_step(const policy& by, const decision& made, const trace& of, std::size_t at,
                       const text_details& details) {
    const metric_policy& metric = by.metrics[at];
    const metric_trace& read = of.metrics[at];
    const proposal* proposed = proposal_of(of, static_cast<std::int32_t>(at));
    const bool one_number = metric.kind == metric_kind::external || metric.kind == metric_kind::object;
    step_writer out("metric");
    out.member("trigger", metric.name).say(metric.name, ": ");
    if (one_number || proposed == nullptr) say_value(out, read, of.now_ms);
    say_rule(out, read);
    if (one_number) say_passed(out, metric, read);
    if (proposed == nullptr) return out.take();
    if (proposed->failure != metric_failure::none) {
        say_failure(out, by, made, *proposed, details);
        return out.take();
    }
    say_pods(out, *proposed, metric);
    say_proposal(out, by, metric, *proposed, of);
    return out.take();
}

// The word of the trace; composite_text() is the sentence.
std::string_view composite_name(composite_state state) {
    switch (state) {
        case composite_state::none:
            return "held";
        case composite_state::formula:
            return "formula";
        case composite_state::fallback:
            return "fallback";
        case composite_state::nil_replaced:
            return "nil_replaced";
        case composite_state::trigger_error:
            return "trigger_error";
        case composite_state::formula_error:
            return "formula_error";
        case composite_state::nil_error:
            return "nil_error";
        case composite_state::not_finite:
            return "not_finite";
        case composite_state::activation_error:
            return "activation_error";
    }
    return "";
}

std::string_view composite_text(composite_state state) {
    switch (state) {
        case composite_state::none:
            return "held: no data for one of its variables";
        case composite_state::formula:
            return "the formula's result";
        case composite_state::fallback:
            return "a trigger is in fallback, the formula was skipped";
        case composite_state::nil_replaced:
            return "the formula gave nil: fallback.replicas times the target";
        case composite_state::trigger_error:
            return "a trigger has an error";
        case composite_state::formula_error:
            return "the formula failed";
        case composite_state::nil_error:
            return "the formula gave nil and no fallback is configured";
        case composite_state::not_finite:
            return "the formula gave NaN or an infinity";
        case composite_state::activation_error:
            return "activationTarget is not a number";
    }
    return "";
}

trace_step composite_step(const policy& by, const composite& value, const trace& of) {
    step_writer out("formula");
    out.member("trigger", "composite-metric").member("state", composite_name(value.state));
    out.say("composite-metric: ");
    if (value.has_value && value.state != composite_state::none) {
        out.member("value", approximate_value(value.value_milli)).member("active", value.active);
        out.say(shown(approximate_value(value.value_milli)), value.active ? ", active (" : ", not active (");
        out.say(composite_text(value.state), ")");
    } else {
        out.say("no value: ", composite_text(value.state));
        if (value.state == composite_state::formula_error) out.say(", ", formula_failure_text(value.why));
    }
    const proposal* proposed = proposal_of(of, composite_metric);
    if (proposed != nullptr && proposed->failure == metric_failure::none && !proposed->held && by.scaling.modifiers) {
        say_target(out, *proposed, static_cast<double>(by.composite_target_milli) / 1000.0,
                   by.scaling.modifiers->metric_type, tolerance_of(by), of.status_replicas);
    }
    return out.take();
}

}  // namespace

void add_metric_steps(std::vector<trace_step>& to, const policy& by, const decision& made, const trace& of,
                      const text_details& details) {
    for (std::size_t i = 0; i < of.metrics.size() && i < by.metrics.size(); ++i) {
        to.push_back(metric_step(by, made, of, i, details));
    }
    if (!by.formula || of.metrics.empty()) return;
    to.push_back(composite_step(by, of.hpa.proposals.empty() ? of.executor.modifiers : of.hpa.modifiers, of));
}

}  // namespace gputide::decide
