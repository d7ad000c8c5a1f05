#include "doctor/outlook.hpp"

#include "base/format_text.hpp"
#include "decide/decide.hpp"
#include "pipeline/metric_findings.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gputide::doctor {
namespace {

bool can_tell(const outlook& seen) {
    const bool all_read = std::all_of(seen.seen.samples.begin(), seen.seen.samples.end(), [](const sample& read) {
        return read.state == sample_state::ok && !read.null_as_zero && read.activity == activity_word::none;
    });
    const bool any_follows = std::any_of(seen.metrics.begin(), seen.metrics.end(),
                                         [](const load_metric& metric) { return metric.follows_load; });
    return all_read && any_follows && seen.seen.pod_samples.empty() &&
           seen.seen.samples.size() == seen.metrics.size() && seen.seen.spec_replicas > 0;
}

// What the metrics ask for at that load, within the bounds.
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
    const config::scaling& scaling = seen.policy.scaling;
    if (!decision.active && scaling.kind == config::manifest_kind::scaled_object)
        return scaling.idle.value_or(scaling.min.value_or(0));
    return std::clamp(decision.proposed_replicas, scaling.hpa_min(), std::max(scaling.hpa_min(), scaling.max));
}

// What doctor has a step of its own for, or what says nothing of the size.
bool has_weight(const config::finding& finding) {
    constexpr std::array<std::string_view, 4> others = {"empty-reads-as-zero", "tls-not-verified",
                                                        "credential-over-http", "keda-does-not-send"};
    return finding.severity == config::severity::warning &&
           std::find(others.begin(), others.end(), finding.code) == others.end();
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
    out.detail.emplace_back("at_twice", std::to_string(above));
    out.detail.emplace_back("at_none", std::to_string(idle));
    return out;
}

std::optional<step> judge_manifest(const config::report& findings) {
    step out = doubtful(step_name::manifest, {}, "As `gputided check` says it.", {});
    for (const config::finding& finding : findings.findings) {
        if (!has_weight(finding)) continue;
        out.seen += (out.seen.empty() ? "" : "; ") + finding.message;
        out.fix += (out.fix.empty() ? "" : "; ") + (finding.remedy.empty() ? "see its line" : finding.remedy);
        out.detail.emplace_back("code", finding.code);
    }
    if (out.detail.empty()) return std::nullopt;
    return out;
}

}  // namespace gputide::doctor
