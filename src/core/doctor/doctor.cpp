// From the manifest to examined triggers and the decision.
#include "doctor/doctor.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "decide/decide.hpp"
#include "decide/trace/trace.hpp"
#include "doctor/examine.hpp"
#include "doctor/judge.hpp"
#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::doctor {
namespace {

// The trigger that reads a metric.
struct subject {
    manifest::trigger trigger;
    opener open;
};

// Returns nullopt if the host provides the value of an HPA's metric.
std::optional<subject> subject_of(const manifest::spec& spec, const decide::policy& policy, std::size_t metric,
                                  const source::services& services) {
    const decide::metric_policy& what = policy.metrics[metric];
    const bool from_cluster = spec.metrics_from_cluster;
    if (spec.scaling.kind == manifest::manifest_kind::scaled_object) {
        subject out{spec.triggers[metric], {}};
        if (from_cluster && what.is_resource()) {
            out.open = [&spec, &what, &services] {
                source::target asked;
                asked.resource = what.name;
                asked.container = what.about().container;
                return source::open(source::describe_cluster_resource(spec.scaling, asked), services);
            };
        }
        return out;
    }
    const manifest::hpa_metric& written = spec.metrics[metric];
    if (!written.source && !from_cluster) return std::nullopt;
    subject out{written.source ? *written.source : source::trigger_of_cluster_metric(spec, metric), {}};
    out.trigger.rules = written.rules;
    if (written.source) return out;
    out.open = [&spec, &services, metric]() -> result<std::shared_ptr<source::metric_source>> {
        auto described = source::describe_cluster_metric(spec, metric, spec.metrics[metric].rules, nullptr);
        if (!described) return described.take_failure();
        return source::open(*described, services);
    };
    return out;
}

std::optional<sample> pushed_value(const decide::observation* seen, std::size_t metric) {
    if (seen == nullptr || metric >= seen->samples.size()) return std::nullopt;
    const sample& sample = seen->samples[metric];
    if (sample.state == sample_state::not_given) return std::nullopt;
    return sample;
}

bool brings_pods(const decide::observation* seen, std::size_t metric) {
    return seen != nullptr && std::ranges::any_of(seen->pod_samples, [&](const auto& sample) {
               return static_cast<std::size_t>(sample.metric) == metric;
           });
}

bool can_be_zero(const manifest::scaling& scaling) { return scaling.idle.has_value() || scaling.min.value_or(0) == 0; }

std::vector<trigger_diagnosis> examine_all(const manifest::spec& spec, const decide::policy& policy,
                                           const source::services& services, const asker& asker,
                                           const circumstances& under, std::int64_t now_ms) {
    std::vector<trigger_diagnosis> out;
    const bool is_hpa = spec.scaling.kind == manifest::manifest_kind::horizontal_pod_autoscaler;
    const std::size_t metrics = is_hpa ? spec.metrics.size() : spec.triggers.size();
    for (std::size_t i = 0; i < metrics && !asker.cancelled(); ++i) {
        const examined_metric of{policy.metrics[i], pushed_value(under.seen, i),
                                 spec.metrics_from_host || brings_pods(under.seen, i)};
        const std::optional<subject> asked = subject_of(spec, policy, i, services);
        if (!asked) {
            out.push_back(diagnose_unread(of, i));
            continue;
        }
        evidence known;
        known.can_be_zero = can_be_zero(spec.scaling);
        known.is_hpa = is_hpa;
        known.is_variable = policy.formula != nullptr && of.metric.kind == manifest::metric_kind::external;
        out.push_back(diagnose({asked->trigger, spec.scaling.extra.profile, services, asker, now_ms}, of, asked->open,
                               std::move(known)));
    }
    return out;
}

decide::observation observed(const circumstances& under, const manifest::scaling& scaling, std::int64_t now_ms) {
    if (under.seen != nullptr) {
        decide::observation out = *under.seen;
        out.now_ms = now_ms;
        return out;
    }
    decide::observation out;
    out.now_ms = now_ms;
    out.spec_replicas = scaling.hpa_min();
    return out;
}

void add_outcome(const decide::policy& policy, const decide::observation& seen, bool size_assumed,
                 const std::vector<trigger_diagnosis>& results, report& report) {
    decide::state fresh = decide::make_state(policy, policy.scaling.created_ms.value_or(decide::absent));
    decide::trace trace;
    outcome what{policy, decide::decide(policy, fresh, seen, &trace), {}, size_assumed};
    const auto failed = static_cast<std::size_t>(what.decision.failed_metric);  // -1: none
    if (failed < results.size()) what.read_error = results[failed].seen.fetched.why.message;
    what.is_none_ready = seen.spec_replicas > 0 && seen.ready_replicas == 0;
    report.outcome.push_back(judge_decision(what));
    report.outcome.push_back(judge_limits(what));
    if (decide::composite_of(trace).state != decide::composite_state::none)
        report.outcome.push_back(judge_formula(policy, trace));
}

// Tells the effect of a Value target instead of a divided average: "0.98 / 6 replicas = 0.163; under metricType: Value it would
// be 8".
std::string without_division(const decide::metric_policy& metric, const sample& sample, std::int32_t replicas) {
    if (sample.state != sample_state::ok || replicas <= 0 || metric.target_milli <= 0) return {};
    const double target = static_cast<double>(metric.target_milli) / 1'000.0;
    return format_text("; now {} / {} = {} against {}, and with metricType: Value the result would be {}",
                       shortest(sample.value), counted(static_cast<std::size_t>(replicas), "replica", "replicas"),
                       shortest(std::round(1'000.0 * sample.value / replicas) / 1'000.0), shortest(target),
                       shortest(std::ceil(replicas * sample.value / target)));
}

// Adds the findings of `gputided check` about metrics, as one step of each trigger without a failed step.
void add_findings(const manifest::spec& spec, const pipeline::described& described, const decide::observation& seen,
                  std::vector<trigger_diagnosis>& results) {
    for (const pipeline::metric_finding& finding : pipeline::find_metric_problems(spec, described)) {
        if (finding.metric >= results.size()) continue;
        std::vector<step>& steps = results[finding.metric].report.steps;
        if (first_step(steps, verdict::failed) != nullptr) continue;
        if (steps.empty() || steps.back().name != step_name::target)
            steps.push_back(doubtful(step_name::target, {}, {}, {}));
        step& into = steps.back();
        const std::string now = finding.code == pipeline::average_divided
                                    ? without_division(described.policy.metrics[finding.metric],
                                                       seen.samples[finding.metric], seen.spec_replicas)
                                    : std::string();
        append_item(into.seen, finding.message, "; ");
        append_item(into.cause, finding.consequence + now + ".", " ");
        append_item(into.fix, finding.remedy + ".", " ");
        into.add_detail("code", finding.code);
    }
}

bool is_schedule(const std::string& type) {
    const std::span<const manifest::trigger_kind> kinds = source::trigger_kinds();
    return std::ranges::any_of(
        kinds, [&type](const manifest::trigger_kind& kind) { return kind.is_schedule && kind.type == type; });
}

void add_outlook(const manifest::spec& spec, const pipeline::described& described, const decide::observation& seen,
                 const text::report& findings, report& report) {
    outlook what{described.policy, seen, {}};
    for (std::size_t i = 0; i < described.policy.metrics.size(); ++i) {
        load_metric metric;
        if (i < described.metrics.size() && described.metrics[i]) metric.max = described.metrics[i]->shape.max;
        metric.follows_load = i >= spec.triggers.size() || !is_schedule(spec.triggers[i].type);
        what.metrics.push_back(metric);
    }
    if (auto load = judge_load(what)) report.outcome.push_back(*std::move(load));
    if (auto manifest = judge_manifest(findings)) report.outcome.push_back(*std::move(manifest));
}

}  // namespace

result<report> examine(const std::vector<manifest::text_file>& files, const pipeline::host_options& host,
                       const std::shared_ptr<pipeline::engine>& shared, const circumstances& under) {
    text::report findings;
    result<manifest::spec> spec = pipeline::load_spec(files, host, &findings);
    if (!spec) return spec.take_failure();
    // Does not access the machine: an error here is in the manifest.
    result<pipeline::described> described = pipeline::describe(*spec, &findings);
    if (!described) return described.take_failure();
    if (error lacking = described->lacking(); lacking.status != status::ok) return lacking;
    const source::services services = pipeline::services_of(host, *shared);
    const asker asker(shared->client, under.deadline_ms, under.cancel);
    const std::int64_t now_ms =
        under.seen != nullptr && under.seen->now_ms != 0 ? under.seen->now_ms : shared->client->wall_ms();
    std::vector<trigger_diagnosis> results = examine_all(*spec, described->policy, services, asker, under, now_ms);
    if (asker.cancelled()) return fail(status::cancelled, "canceled by the caller");
    decide::observation seen = observed(under, spec->scaling, now_ms);
    std::vector<sample> samples;
    std::vector<const pod_reading*> pods;  // null: no pods
    for (const trigger_diagnosis& diagnosis : results) {
        samples.push_back(diagnosis.seen.fetched.sample);
        pods.push_back(diagnosis.seen.fetched.pods.get());
    }
    seen.samples = samples;
    const pipeline::read_pods own = pipeline::pods_of(pods);
    if (seen.pods.empty() && seen.pod_samples.empty()) {
        seen.pods = own.pods;
        seen.pod_samples = own.samples;
    }
    report out;
    out.name = spec->scaling.name;
    out.name_space = spec->scaling.name_space;
    add_outcome(described->policy, seen, under.seen == nullptr, results, out);
    add_outlook(*spec, *described, seen, findings, out);
    add_findings(*spec, *described, seen, results);
    for (trigger_diagnosis& diagnosis : results) out.triggers.push_back(std::move(diagnosis.report));
    return out;
}

}  // namespace gputide::doctor
