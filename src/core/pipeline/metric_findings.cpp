#include "base/format_text.hpp"
#include "base/text.hpp"
#include "pipeline/pipeline.hpp"
#include "source/known_metrics.hpp"
#include "source/query_shape.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::pipeline {
namespace {

using source::quantity;

// A metric of a manifest of any kind.
struct subject {
    std::size_t index = 0;
    std::string label;  // "trigger 0 (prometheus)"
    source::query_shape shape;
    manifest::target_type type = manifest::target_type::average_value;
    double target = 0.0;
    double activation = 0.0;
    bool is_trigger = false;  // of a ScaledObject
    bool is_per_pod = false;  // already an average of the pods' values: AverageValue does not divide it
    // An External or Object metric that is known only by its name.  The HPA adds up the series that the adapter returns
    // (kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go GetExternalPerPodMetricReplicas), which may be
    // one per pod.
    bool is_by_name = false;
    bool is_query = true;      // its query can be changed; otherwise the trigger's keys
    bool has_scale = false;    // the trigger type has the key scale
    std::string several = {};  // why its query returns one element per pod; "": it does not
};

bool has_setting(const source::description& described, std::string_view key) {
    return std::ranges::any_of(described.settings,
                               [key](const manifest::parameter_value& value) { return value.field->names.has(key); });
}

std::string several_of(const manifest::spec& spec, const source::description& described, const std::string& reduce) {
    if (described.traits->inquiry != source::inquiry::query || !reduce.empty() || spec.scaling.max <= 1) return {};
    return source::several_elements_of(described.asks);
}

subject subject_of(const manifest::spec& spec, std::size_t index, const source::description& described) {
    const manifest::trigger& trigger = spec.triggers[index];
    return {.index = index,
            .label = trigger.label(),
            .shape = described.shape,
            .type = described.target.type,
            .target = described.target.threshold,
            .activation = described.target.activation_threshold,
            .is_trigger = true,
            .is_per_pod = described.is_per_pod,
            .is_query = described.traits->inquiry == source::inquiry::query,
            .has_scale = has_setting(described, "scale"),
            .several = several_of(spec, described, trigger.rules.reduce)};
}

std::vector<subject> subjects_of(const manifest::spec& spec, const described& described) {
    std::vector<subject> out;
    for (std::size_t i = 0; i < spec.triggers.size() && i < described.metrics.size(); ++i) {
        const auto& metric = described.metrics[i];
        if (metric && metric->target.resource.empty()) out.push_back(subject_of(spec, i, *metric));
    }
    for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
        const manifest::hpa_metric& metric = spec.metrics[i];
        if (metric.type == manifest::target_type::utilization) continue;
        const bool has_query = metric.source && i < described.metrics.size() && described.metrics[i];
        if (metric.source && !has_query) continue;  // the query could not be parsed, and the name has no information
        const bool is_pods = metric.kind == manifest::metric_kind::pods;
        out.push_back({.index = i,
                       .label = format_text("metric {} ({})", i, metric.name),
                       .shape = has_query ? described.metrics[i]->shape : source::shape_of_metric(metric.name),
                       .type = metric.type,
                       .target = static_cast<double>(metric.target_milli) / 1000.0,
                       .is_per_pod = is_pods,
                       .is_by_name = !has_query && !is_pods,
                       .several = has_query ? several_of(spec, *described.metrics[i], metric.rules.reduce) : ""});
    }
    return out;
}

bool reads_desired_count(const subject& of) { return std::ranges::any_of(of.shape.metrics, source::is_desired_count); }

// Returns the name of the first metric of the query; "the query" if none is known.
std::string first_metric(const subject& of) {
    return of.shape.metrics.empty() ? "the query" : of.shape.metrics.front();
}

std::string_view number_of(const subject& of) { return of.is_query ? "the query's number" : "the number"; }

metric_finding divided(const subject& of) {
    constexpr double replicas = 4;
    const std::string_view total =
        of.is_query ? "change the query to return the total (sum)" : "reduce to the total (sum)";
    return {
        of.index, average_divided,
        format_text("{}: {} is already an average ({}), and AverageValue{} divides it by the replicas", of.label,
                    number_of(of), of.shape.because, of.is_trigger ? ", the default metricType," : ""),
        format_text("With {} replicas, a value of {} (the target) counts as {}: the workload shrinks under load",
                    shortest(replicas), shortest(of.target), shortest(of.target / replicas)),
        format_text("Write {}, or {}",
                    of.is_trigger ? "metricType: Value beside the trigger's type" : "type: Value with value", total)};
}

metric_finding multiplied(const subject& of) {
    const char* const remedy =
        !of.is_trigger ? "Write type: AverageValue with averageValue, the target per replica"
        : of.is_query  ? "Write metricType: AverageValue (the default) with the threshold per replica, or divide the "
                         "query by the number of replicas"
                       : "Write metricType: AverageValue (the default) with the threshold per replica";
    return {of.index, "total-multiplied",
            format_text("{}: {} is a total ({}), and Value multiplies its ratio to the target by the ready replicas",
                        of.label, number_of(of), of.shape.because),
            format_text("A number of {}, twice the target, doubles the replicas at every pass, independent of their "
                        "current number, up to the maximum",
                        shortest(2 * of.target)),
            remedy};
}

metric_finding beyond_range(const subject& of) {
    const std::string_view percent = of.is_query    ? "multiply the query by 100"
                                     : of.has_scale ? "set scale: \"100\""
                                                    : "";
    std::string remedy = format_text("Write a target below {}", shortest(of.shape.max));
    if (of.shape.max == 1.0) {
        remedy = format_text("Write {} as the target{}{}", shortest(of.target / 100.0), percent.empty() ? "" : ", or ",
                             percent);
    }
    return {of.index, "target-beyond-range",
            format_text("{}: {} goes from 0 to {}, and the target is {}", of.label, first_metric(of),
                        shortest(of.shape.max), shortest(of.target)),
            "The target is never reached, so the workload never scales up", std::move(remedy)};
}

metric_finding far_below_range(const subject& of) {
    return {
        of.index, "target-below-percent",
        format_text("{}: {} goes from 0 to 100, and the target is {}", of.label, first_metric(of), shortest(of.target)),
        format_text("A load of {} % is nearly always exceeded, so the workload runs at its maximum",
                    shortest(of.target)),
        format_text("Write {} as the target", shortest(of.target * 100.0))};
}

// Tells whether the query also reads the new name, so that it works with both versions.
bool reads_successor(const subject& of, const std::string& older) {
    return std::ranges::any_of(of.shape.metrics,
                               [&older](const std::string& name) { return source::succeeds(name, older); });
}

void judge_names(const subject& of, std::vector<metric_finding>& out) {
    for (const std::string& name : of.shape.metrics) {
        const source::known_metric* known = source::find_known_metric(name);
        if (known == nullptr || known->gone_since.empty() || reads_successor(of, name)) continue;
        const std::string_view server = known->server;
        out.push_back(
            {of.index, "metric-removed",
             format_text("{}: {} has no {} from {} on", of.label, server, name, std::string_view(known->gone_since)),
             "The query finds no series there, and the metric has no effect",
             known->successor.empty() ? "Use a metric that the server has"
                                      : format_text("Write {}", source::successor_of(name))});
    }
    if (of.shape.counted_twice.empty()) return;
    out.push_back(
        {of.index, "same-metric-twice",
         format_text("{}: the query adds {}, which are one metric under two names", of.label, of.shape.counted_twice),
         "On a server that has both, every value counts twice",
         "Join them with `or` instead of +: sum(new) or sum(old)"});
}

metric_finding hidden(const subject& of) {
    return {of.index, "constant-hides-nan",
            of.label + ": the comparison drops NaN, and the constant behind `or` takes its place",
            "A faulty metric gives that constant, and the workload scales on it",
            "Remove the comparison or the constant from the query; with ignoreNullValues: \"false\" an empty result "
            "holds the size"};
}

// Finds queries with several elements: KEDA's prometheus scaler takes one (kedacore/keda pkg/scalers/prometheus_scaler.go
// ExecutePromQuery @v2.21.0).
metric_finding several(const subject& of) {
    return {of.index, "several-elements",
            format_text("{}: the query returns an element for each pod ({}), and a trigger accepts only one", of.label,
                        of.several),
            "With two pods the read fails, so the size is held or the fallback applies",
            "Aggregate with sum(...), or with avg(...) or max(...) for a Value target"};
}

void judge(const subject& of, bool is_in_formula, std::vector<metric_finding>& out) {
    if (!of.several.empty()) out.push_back(several(of));
    const bool is_mean_divided =
        of.shape.quantity == quantity::level && of.type == manifest::target_type::average_value;
    if (!is_in_formula && !of.is_per_pod && of.target > 0 && of.several.empty()) {
        if (is_mean_divided && !of.is_by_name && !reads_desired_count(of)) out.push_back(divided(of));
        if (of.shape.quantity == quantity::total && of.type == manifest::target_type::value)
            out.push_back(multiplied(of));
    }
    const bool is_level = of.shape.quantity == quantity::level && std::isfinite(of.shape.max) && of.shape.max > 0;
    if (!is_in_formula && is_level && of.target > of.shape.max) out.push_back(beyond_range(of));
    if (!is_in_formula && is_level && of.shape.max == 100.0 && of.target > 0 && of.target <= 1.0)
        out.push_back(far_below_range(of));
    if (of.shape.is_constant_behind_comparison) out.push_back(hidden(of));
}

bool is_served_by_pods(const subject& of) {
    const auto& metrics = of.shape.metrics;
    return !metrics.empty() && std::ranges::all_of(metrics, [](const std::string& name) {
        const source::known_metric* known = source::find_known_metric(name);
        return known != nullptr && known->is_own_pods;
    });
}

// Finds activation thresholds above the target.  KEDA's documentation warns of them: activation takes precedence
// (kedacore/keda-docs concepts/scaling-deployments.md).
void judge_activation(const manifest::spec& spec, const std::vector<subject>& subjects,
                      std::vector<metric_finding>& out) {
    if (!goes_to_zero(spec.scaling) || spec.scaling.modifiers) return;
    for (const subject& of : subjects) {
        if (of.activation <= of.target || of.target <= 0) continue;
        out.push_back({of.index, "activation-above-threshold",
                       format_text("{}: activationThreshold {} is above the threshold {}", of.label,
                                   shortest(of.activation), shortest(of.target)),
                       format_text("At {} the target needs more than one replica, but the workload goes to zero",
                                   shortest(of.activation)),
                       "Write an activationThreshold below the threshold; 0 is the default"});
    }
}

// Finds scalers that never leave zero: if only the workload's pods serve the metrics, no trigger can become active.
void judge_wake(const manifest::spec& spec, const std::vector<subject>& subjects, std::vector<metric_finding>& out) {
    if (!goes_to_zero(spec.scaling) || subjects.size() != spec.triggers.size() || subjects.empty()) return;
    if (!std::ranges::all_of(subjects, is_served_by_pods)) return;
    out.push_back({0, "nothing-wakes-it",
                   format_text("{}: the workload may go to zero, and {} comes from its own pods",
                               subjects.front().label, subjects.front().shape.metrics.front()),
                   "At zero replicas no pod serves the metrics, so no trigger can activate it",
                   "Write minReplicaCount: 1 without idleReplicaCount, or add a trigger that does not depend on the "
                   "pods: the queue or the gateway in front of them, or cron"});
}

// Finds resources other than cpu and memory, which the resource metrics API does not have (kubernetes-sigs/metrics-server
// pkg/storage/types.go).
void judge_resources(const manifest::spec& spec, std::vector<metric_finding>& out) {
    for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
        const manifest::hpa_metric& metric = spec.metrics[i];
        const bool is_resource =
            metric.kind == manifest::metric_kind::resource || metric.kind == manifest::metric_kind::container_resource;
        if (!is_resource || metric.name.empty() || metric.name == "cpu" || metric.name == "memory") continue;
        out.push_back(
            {i, "resource-not-measured",
             format_text("metric {} ({}): the resource metrics API has only cpu and memory", i, metric.name),
             "The HPA gets no value for it: it never scales up on it, and the other metrics cannot scale down",
             "Write a Pods or External metric that an adapter serves, such as DCGM_FI_DEV_GPU_UTIL"});
    }
}

// Returns the place of the key that names what the trigger reads.
place place_of(const manifest::spec& spec, std::size_t metric) {
    if (metric >= spec.triggers.size()) return metric < spec.metrics.size() ? spec.metrics[metric].at : place{};
    const manifest::trigger& trigger = spec.triggers[metric];
    for (const char* key : {"query", "metric", "valueLocation", "gputide.io/preset"}) {
        const auto found = trigger.metadata_places.find(key);
        if (found != trigger.metadata_places.end()) return found->second;
    }
    return trigger.at;
}

}  // namespace

bool goes_to_zero(const manifest::scaling& scaling) {
    return scaling.kind == manifest::manifest_kind::scaled_object &&
           scaling.idle.value_or(scaling.min.value_or(0)) == 0;
}

std::vector<metric_finding> find_metric_problems(const manifest::spec& spec, const described& described) {
    const std::vector<subject> subjects = subjects_of(spec, described);
    std::vector<metric_finding> out;
    for (const subject& of : subjects) {
        judge(of, spec.scaling.modifiers.has_value(), out);
        judge_names(of, out);
    }
    judge_activation(spec, subjects, out);
    judge_wake(spec, subjects, out);
    judge_resources(spec, out);
    return out;
}

void add_metric_findings(const manifest::spec& spec, const described& described, text::report& report) {
    for (metric_finding& finding : find_metric_problems(spec, described)) {
        finding.remedy[0] =
            static_cast<char>(finding.remedy[0] | 0x20);  // to lower case: a finding is only a part of a line
        finding.consequence[0] = static_cast<char>(finding.consequence[0] | 0x20);
        report.add(text::severity::warning, finding.code, place_of(spec, finding.metric),
                   format_text("{}: {}", finding.message, finding.consequence), finding.remedy);
    }
}

}  // namespace gputide::pipeline
