#include "base/format_text.hpp"
#include "base/text.hpp"
#include "decide/decide.hpp"
#include "decide/saturate.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/texts.hpp"
#include "doctor/judge.hpp"
#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gputide::doctor {

namespace {

bool can_tell(const outlook& seen) {
    const bool all_read = std::ranges::all_of(seen.seen.samples, [](const sample& read) {
        return read.state == sample_state::ok && !read.null_as_zero && read.activity == activity_word::none;
    });
    const bool any_follows =
        std::ranges::any_of(seen.metrics, [](const load_metric& metric) { return metric.follows_load; });
    return all_read && any_follows && seen.seen.pod_samples.empty() &&
           seen.seen.samples.size() == seen.metrics.size() && seen.seen.spec_replicas > 0;
}

// Returns the replicas that the metrics propose at that load, within the bounds.
std::int32_t size_at(double times, const outlook& seen) {
    std::vector<sample> samples(seen.seen.samples.begin(), seen.seen.samples.end());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const load_metric& metric = seen.metrics[i];
        if (metric.follows_load) samples[i].value = std::min(samples[i].value * times, std::max(metric.max, 0.0));
    }
    decide::observation then = seen.seen;
    then.samples = samples;
    decide::state fresh = decide::make_state(seen.policy, decide::absent);
    const decide::decision decision = decide::decide(seen.policy, fresh, then);
    const manifest::scaling& scaling = seen.policy.scaling;
    if (!decision.active && scaling.kind == manifest::manifest_kind::scaled_object)
        return scaling.idle.value_or(scaling.min.value_or(0));
    return std::clamp(decision.proposed_replicas, scaling.hpa_min(), std::max(scaling.hpa_min(), scaling.max));
}

// Returns false for findings with a step of their own, and for those that do not affect the size.
bool has_weight(const text::finding& finding) {
    constexpr std::array<std::string_view, 4> others = {"empty-reads-as-zero", "tls-not-verified",
                                                        "credential-over-http", "keda-does-not-send"};
    return finding.severity == text::severity::warning && std::ranges::find(others, finding.code) == others.end();
}

}  // namespace

std::optional<step> judge_load(const outlook& seen) {
    if (!can_tell(seen)) return std::nullopt;
    constexpr double twice = 2.0;
    const std::int32_t now = seen.seen.spec_replicas;
    const std::int32_t above = size_at(twice, seen);
    const std::int32_t idle = size_at(0.0, seen);
    const std::string_view after =
        idle == 0 && pipeline::goes_to_zero(seen.policy.scaling) ? " after cooldownPeriod" : "";
    step out = passed(step_name::load, format_text("at twice the load: {} -> {} replicas; at no load: {} -> {}{}", now,
                                                   above, now, idle, after));
    out.add_detail("at_twice", above);
    out.add_detail("at_none", idle);
    return out;
}

std::optional<step> judge_manifest(const text::report& findings) {
    step out = doubtful(step_name::manifest, {}, "This is a warning of `gputided check`.", {});
    for (const text::finding& finding : findings.findings) {
        if (!has_weight(finding)) continue;
        append_item(out.seen, finding.message, "; ");
        append_item(out.fix, finding.remedy.empty() ? "see its line" : finding.remedy, "; ");
        out.add_detail("code", finding.code);
    }
    if (out.detail.empty()) return std::nullopt;
    return out;
}

// Texts for decisions.

namespace {

std::string sizes(const outcome& seen) {
    const decide::decision& decision = seen.decision;
    std::string out = decision.current_replicas == decision.desired_replicas
                          ? format_text("stays at {}", counted(static_cast<std::size_t>(decision.current_replicas),
                                                               "replica", "replicas"))
                          : format_text("{} -> {} replicas", decision.current_replicas, decision.desired_replicas);
    if (decision.hpa_ran && decision.winner >= 0)
        out += format_text("; the metrics ask for {}", decision.proposed_replicas);
    if (seen.size_assumed) out += format_text(" (assumed current size: {})", decision.current_replicas);
    return out;
}

// Tells what the scaler does until the trigger works again.
std::string meanwhile(const decide::policy& policy, const decide::decision& decision) {
    if (!policy.fallback_on || !policy.scaling.fallback) {
        return decision.desired_replicas > decision.current_replicas
                   ? "; the failing metric prevents scaling down, and no fallback is set"
                   : "; the failing metric holds the size, and no fallback is set";
    }
    return format_text("; after {} failed reads the fallback of {} replicas applies",
                       policy.scaling.fallback->failure_threshold, policy.scaling.fallback->replicas);
}

std::string condition(const outcome& seen, decide::condition_type type) {
    std::string buffer;
    return std::string(
        decide::condition_message(seen.policy, seen.decision, type, {.read_error = seen.read_error}, buffer));
}

step at_maximum(const outcome& seen, const std::string& text) {
    return doubtful(step_name::limits,
                    format_text("{}: the maximum is {}, and the metrics ask for {}", text, seen.policy.scaling.max,
                                seen.decision.proposed_replicas),
                    "The load needs more replicas than the manifest allows.",
                    "Raise the maximum if there are GPUs for it, or raise the threshold.");
}

// Tells whether a Value target multiplies by 0: it multiplies its ratio by the ready pods (kubernetes/kubernetes
// pkg/controller/podautoscaler/replica_calculator.go getUsageRatioReplicaCount).
bool multiplies_by_none(const outcome& seen) {
    const auto& metrics = seen.policy.metrics;
    return seen.is_none_ready && std::ranges::any_of(metrics, [](const decide::metric_policy& metric) {
               return !metric.is_resource() && metric.type == manifest::target_type::value;
           });
}

}  // namespace

step judge_formula(const decide::policy& policy, const decide::trace& trace) {
    const decide::composite& result = decide::composite_of(trace);
    const std::string target = decide::shown(policy.composite_target);
    step out = passed(step_name::formula, {});
    if (result.has_value) {
        const bool per_replica = policy.scaling.modifiers->metric_type == manifest::target_type::average_value;
        const std::string value = decide::shown(decide::approximate_value(result.value_milli));
        const std::string above = decide::shown(policy.composite_activation);
        out.seen = format_text("{}: {} {} {}; target {}{}", result.active ? "active" : "not active", value,
                               result.active ? ">" : "<=", above, target, per_replica ? " per replica" : "");
        out.add_detail("value", value);
    } else {
        // A failed trigger has a failed step of its own.
        const bool is_own = result.state != decide::composite_state::trigger_error;
        const std::string why = decide::composite_failure_text(result);
        out = is_own ? broken(step_name::formula, "no value: " + why, "The formula cannot use the triggers' values.",
                              "Correct spec.advanced.scalingModifiers.formula; the values are in the steps above.")
                     : doubtful(step_name::formula, "no value: " + why, "The formula needs a value of each trigger.",
                                "See the remedies in the steps of the triggers above.");
    }
    out.add_detail("formula", policy.scaling.modifiers->formula);
    out.add_detail("activation_target", decide::shown(policy.composite_activation));
    out.add_detail("target", target);
    return out;
}

step judge_decision(const outcome& seen) {
    const std::string text = sizes(seen);
    step out = passed(step_name::decision, text);
    if (multiplies_by_none(seen)) {
        out = doubtful(
            step_name::decision, text + "; no replica is ready",
            "A Value target multiplies by the ready replicas: while none is ready, every load results in 0 replicas.",
            "Find out why they are not ready (`kubectl describe pods`). metricType: AverageValue does not depend on "
            "ready replicas.");
    }
    if (seen.decision.error) {
        out.verdict = verdict::warning;
        out.seen += meanwhile(seen.policy, seen.decision);
        out.add_detail("error", decide::pass_error_text(seen.policy, seen.decision, {.read_error = seen.read_error}));
    }
    out.add_detail("current_replicas", seen.decision.current_replicas);
    out.add_detail("desired_replicas", seen.decision.desired_replicas);
    out.add_detail("proposed_replicas", seen.decision.proposed_replicas);
    return out;
}

step judge_limits(const outcome& seen) {
    const std::string word = decide::limit_name(seen.decision.limited_by);
    step out = passed(step_name::limits, word);
    switch (seen.decision.limited_by) {
        case decide::limit::none:
            out.seen = "none";
            break;
        case decide::limit::max:
            out = at_maximum(seen, word);
            break;
        case decide::limit::stabilized:
            out.seen += format_text(": {} (a diagnosis has no history; a running scaler knows its last minutes)",
                                    condition(seen, decide::condition_type::able_to_scale));
            break;
        case decide::limit::paused:
            out = doubtful(step_name::limits, word + ": an annotation autoscaling.keda.sh/paused... holds the size",
                           "This scaler was paused with an annotation.", "Remove the annotation to resume scaling.");
            break;
        case decide::limit::no_data:
            out = doubtful(step_name::limits, word + ": no metric could be read", "All metrics failed.",
                           "See the remedies in the steps of the triggers above.");
            break;
        case decide::limit::tolerance:
            out.seen += ": the metrics are too close to their targets for a change";
            break;
        case decide::limit::scale_up_limit:
        case decide::limit::scale_down_limit:
        case decide::limit::min:
            out.seen += ": " + condition(seen, decide::condition_type::scaling_limited);
            break;
        default:
            break;
    }
    out.add_detail("limited_by", word);
    return out;
}

}  // namespace gputide::doctor
