// Samples on their way into a half; see readings.hpp.
#include "decide/readings.hpp"

#include "decide/hpa/pods.hpp"
#include "decide/saturate.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

enum class half : std::int32_t { executor = 0, hpa = 1 };

// What the source said, or the executor half's last read.
const sample& sample_of(const policy& by, const state& with, const observation& seen, std::size_t metric, half which,
                        bool& from_cache) noexcept {
    static constexpr sample nobody_asked{};
    const sample& cached = with.health[metric].last;
    from_cache = which == half::hpa && by.metrics[metric].use_cached && cached.state != sample_state::not_given;
    if (from_cache) return cached;
    return metric < seen.samples.size() ? seen.samples[metric] : nobody_asked;
}

// A hold keeps a running target active and leaves one at 0 alone.
passed_metric held(const observation& seen, const metric_health& before) noexcept {
    passed_metric out;
    out.active = seen.spec_replicas > 0;
    out.failures = before.failures;
    out.failing = before.failing;
    return out;
}

// The failure threshold counts as reached, so that the fallback answers now.
passed_metric fall_back_now(const policy& by, std::size_t metric, const metric_health& before,
                            const fallback_target& target) {
    metric_health reached = before;
    if (by.scaling.fallback) reached.failures = std::max(before.failures, by.scaling.fallback->failure_threshold);
    return pass_metric(by, metric, {.error = true}, reached, target, counting::on);
}

// KEDA caches what the poll made of a read, a fallback's number as a good value: an HPA read of it resets the count.
void remember(const policy& by, metric_health& of, const sample& read, const passed_metric& passed) noexcept {
    of.last = read;
    of.last.time_ms = sane_time(read.time_ms);
    if (!is_strict(by.scaling) || !passed.fallback_active) return;
    of.last.state = sample_state::ok;
    of.last.value = static_cast<double>(passed.value_milli) / 1000.0;
}

passed_metric pass(const policy& by, std::size_t metric, const reading& read, const observation& seen,
                   const metric_health& before, const fallback_target& target, counting count) {
    switch (read.ruled.action) {
        case no_data_action::hold:
            return held(seen, before);
        case no_data_action::fallback:
            return fall_back_now(by, metric, before, target);
        default:
            return pass_metric(by, metric, read_of(by.metrics[metric], read.ruled.value), before, target, count);
    }
}

// A hold keeps a running target active; where it stands for a variable of the formula, it holds the composite: no value and
// no error.
composite composite_of(const policy& by, const observation& seen, readings& from) {
    for (std::size_t i = 0; i < by.metrics.size(); ++i) {
        if (by.metrics[i].kind != metric_kind::external || from.read[i].ruled.action != no_data_action::hold) continue;
        composite out;
        out.active = seen.spec_replicas > 0;
        out.has_value = true;
        return out;
    }
    return combine(by, from.passed.all());
}

void read_metrics(const policy& by, state& with, const observation& seen, half which, readings& out) {
    const bool counts = which == half::executor || is_strict(by.scaling);
    const counting count = counts ? counting::on : counting::off;
    const fallback_target target{seen.scale_readable, seen.spec_replicas, ready_replicas(seen)};
    for (std::size_t i = 0; i < by.metrics.size(); ++i) {
        metric_health& health = with.health[i];
        reading& one = out.read[i];
        const sample& raw = sample_of(by, with, seen, i, which, one.from_cache);
        build(one.ruled, [&] { return apply_sample_rules(by.metrics[i].rules, raw, seen.now_ms); });
        const passed_metric& passed =
            build(out.passed[i], [&] { return pass(by, i, one, seen, health, target, count); });
        if (!counts) continue;
        health.failures = passed.failures;
        health.failing = passed.failing;
        if (which == half::executor) remember(by, health, raw, passed);
    }
    if (by.formula) build(out.modifiers, [&] { return composite_of(by, seen, out); });
    out.filled = true;
}

}  // namespace

void read_for_executor(const policy& by, state& with, const observation& seen, readings& out) {
    read_metrics(by, with, seen, half::executor, out);
}

void read_for_hpa(const policy& by, state& with, const observation& seen, readings& out) {
    if (!out.filled || is_strict(by.scaling)) read_metrics(by, with, seen, half::hpa, out);
}

std::int32_t status_replicas(const observation& seen) noexcept {
    return seen.status_replicas < 0 ? seen.spec_replicas : seen.status_replicas;
}

std::int32_t ready_replicas(const observation& seen) noexcept {
    if (seen.ready_replicas >= 0) return seen.ready_replicas;
    return seen.pods.empty() ? seen.spec_replicas : count_ready(seen.pods);
}

}  // namespace gputide::decide
