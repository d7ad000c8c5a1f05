// From the manifest to the steps of each trigger and the decision.
#include "doctor/doctor.hpp"

#include "auth/open.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "decide/decide.hpp"
#include "decide/trace/trace.hpp"
#include "doctor/examine.hpp"
#include "doctor/judge.hpp"
#include "manifest/spec.hpp"
#include "pipeline/pipeline.hpp"
#include "source/description.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gputide::doctor {
namespace {

// Explains a metric that is read from pods, or that the host must provide.
step judge_unfed(const examined_metric& of) {
    if (of.pushed || of.is_from_host)
        return passed(step_name::value, "the value is part of the host's observation; nothing is requested");
    return broken(step_name::value, "nothing reads this metric", manifest::unfed_text(of.metric.kind, of.metric.name),
                  manifest::unfed_remedy(of.metric.kind, of.metric.name));
}

// The steps of one trigger, in order, up to the first that fails.
class trigger_steps {
  public:
    // known: what the manifest says about the value.
    trigger_steps(const examined_trigger& examined, const examined_metric& of, evidence known)
        : examined_(examined), of_(of) {
        seen() = std::move(known);
        seen().described = examined.described;
        seen().now_ms = examined_.now_ms;
        seen().fetched.sample.state = sample_state::failed;
        seen().fetched.sample.status = status::unavailable;
        trigger_report& report = out_.report;
        report.metric = of.metric.label();
        report.label = examined.trigger.label();
        report.index = examined.trigger.index;
        report.type = examined.trigger.type;
        report.asks = examined.described.asks;
    }

    trigger_diagnosis go() {
        auto opened = source::open(examined_.described, examined_.services);
        if (!opened) {
            refuse_identity(examined_, opened.failure(), out_);
            return std::move(out_);
        }
        source_ = *std::move(opened);
        if (seen().traits().is_pushed) {
            take_pushed();
        } else if (reach_source() && ask()) {
            look_closer();
        }
        return std::move(out_);
    }

  private:
    evidence& seen() { return out_.seen; }
    bool add(step step) { return out_.add(std::move(step)); }

    // Tells whether the credential is Azure's.  Sources for Azure accept an Entra application from their own keys, too.
    bool is_of_azure() {
        return auth::family_of(examined_.trigger.auth.provider) == manifest::identity_family::azure ||
               !seen().traits().role.name.empty();
    }

    void take_pushed() {
        seen().fetched.sample = of_.pushed.value_or(sample());
        if (of_.pushed) return judge_number();
        add(seen().described.target.resource.empty()
                ? passed(step_name::value, "the host pushes this value; nothing is requested")
                : judge_unfed(of_));
    }

    bool reach_source() {
        if (source_->access() == nullptr) return true;  // reads this machine, without a network
        const auth::access& how = source_->access()->how();
        seen().with_credential = how.credential || how.header;
        seen().of_azure = how.credential && is_of_azure();
        return prove_identity(examined_, how, out_) && reach_endpoint();
    }

    bool reach_endpoint() {
        const std::vector<result<http::request>> requests = source_->requests(examined_.now_ms);
        step first;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (!requests[i]) {
                return out_.add(broken(step_name::endpoint, requests[i].failure().message,
                                       "The request to the trigger's address would be unsafe.",
                                       "Correct the address, or allow it in the host program as described above."),
                                requests[i].failure());
            }
            const auto parts = http::parse_url(requests[i]->url);
            if (i == 0 && parts) seen().host = parts->host;
            const reach found = examined_.by.look_at(requests[i]->url, requests[i]->tls, requests[i]->is_http2);
            std::optional<step> proxy = judge_proxy(found);
            if (proxy && proxy->verdict == verdict::failed) return out_.add(*std::move(proxy), failure_of(found));
            if (proxy && i == 0) add(*std::move(proxy));
            step reached = judge_reach(step_name::endpoint, found);
            if (reached.verdict == verdict::failed) return out_.add(std::move(reached), failure_of(found));
            if (i == 0 || reached.verdict > first.verdict) first = std::move(reached);
        }
        if (requests.size() > 1) first.seen += "; so do " + std::to_string(requests.size() - 1) + " more";
        return add(std::move(first));
    }

    bool ask() {
        const asker& by = examined_.by;
        const std::int64_t started_ms = by.steady_ms();
        source::fetched& fetched = seen().fetched;
        fetched = by.fetch(*source_, examined_.now_ms);
        seen().took_ms = by.steady_ms() - started_ms;
        // A counter's first reading gives no rate, the second does.
        constexpr std::int64_t again_ms = 1'500;
        if (seen().described.is_rate && fetched.why.status == status::no_data && by.left_ms() > again_ms) {
            by.pause(again_ms);
            fetched = by.fetch(*source_, examined_.now_ms + again_ms);
        }
        return add(judge_query(seen()));
    }

    void look_closer() {
        const source::fetched& fetched = seen().fetched;
        if (fetched.pods) return look_at_pods();
        seen().behind = look_behind(examined_, *source_);
        if (!add(judge_series(seen()))) return;
        const bool nothing = fetched.reading.series.empty() && fetched.reading.result_type != "string";
        if (nothing) return judge_activity();
        if (add(judge_age(seen()))) judge_number();
    }

    // Each pod's value counts, and the HPA has no activation, so these metrics have other steps.
    void look_at_pods() {
        const pods read{of_.metric, *seen().fetched.pods};
        if (add(judge_pods(read))) add(check_usage(read));
    }

    void judge_number() {
        if (add(judge_value(seen()))) judge_activity();
    }

    void judge_activity() { add(judge_activation(seen())); }

    const examined_trigger& examined_;
    const examined_metric& of_;
    trigger_diagnosis out_;
    std::shared_ptr<source::metric_source> source_;
};

// Returns the trigger that reads a metric.
manifest::trigger trigger_of(const manifest::spec& spec, std::size_t metric) {
    if (metric < spec.triggers.size()) return spec.triggers[metric];
    const manifest::hpa_metric& written = spec.metrics[metric];
    manifest::trigger out = written.source ? *written.source : source::trigger_of_cluster_metric(spec, metric);
    out.rules = written.rules;
    return out;
}

// Returns nullopt if the host provides the value of an HPA's metric.
std::optional<source::description> description_of(const manifest::spec& spec, const pipeline::described& described,
                                                  std::size_t metric) {
    std::optional<source::description> out = described.metrics[metric];
    if (metric >= spec.triggers.size() || !spec.triggers[metric].is_resource) return out;
    const manifest::trigger& trigger = spec.triggers[metric];
    if (!out) out = *source::describe(trigger, trigger.rules, spec.scaling.extra.profile, nullptr);
    out->asks.clear();  // such a trigger has no query
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

std::vector<trigger_diagnosis> examine_all(const manifest::spec& spec, const pipeline::described& described,
                                           const source::services& services, const asker& asker,
                                           const circumstances& under, std::int64_t now_ms) {
    std::vector<trigger_diagnosis> out;
    const bool is_hpa = spec.scaling.kind == manifest::manifest_kind::horizontal_pod_autoscaler;
    const decide::policy& policy = described.policy;
    for (std::size_t i = 0; i < policy.metrics.size() && !asker.cancelled(); ++i) {
        const examined_metric of{policy.metrics[i], pushed_value(under.seen, i),
                                 spec.metrics_from_host || brings_pods(under.seen, i)};
        const std::optional<source::description> what = description_of(spec, described, i);
        if (!what) {
            out.push_back(diagnose_unread(of, i));
            continue;
        }
        evidence known;
        known.can_be_zero = can_be_zero(spec.scaling);
        known.is_hpa = is_hpa;
        known.is_variable = policy.formula != nullptr && of.metric.kind == manifest::metric_kind::external;
        const manifest::trigger trigger = trigger_of(spec, i);
        const examined_trigger examined{trigger, *what, services, asker, now_ms};
        out.push_back(trigger_steps(examined, of, std::move(known)).go());
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

bool trigger_diagnosis::add(step step) {
    const bool goes_on = step.verdict != verdict::failed;
    report.steps.push_back(std::move(step));
    return goes_on;
}

bool trigger_diagnosis::add(step step, const error& why) {
    if (add(std::move(step))) return true;
    seen.fetched = source::judge_failure(why);
    return false;
}

trigger_diagnosis diagnose_unread(const examined_metric& of, std::size_t index) {
    trigger_diagnosis out;
    out.report.type = manifest::metric_kind_word(of.metric.kind);
    out.report.metric = of.metric.label();
    out.report.label = format_text("metric {} ({} {})", index, out.report.type, out.report.metric);
    out.report.index = static_cast<std::int32_t>(index);
    out.seen.fetched.sample = of.pushed.value_or(sample());
    out.add(judge_unfed(of));
    return out;
}

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
    std::vector<trigger_diagnosis> results = examine_all(*spec, *described, services, asker, under, now_ms);
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
