// Which formula each metric takes; see proposals.hpp.
#include "decide/hpa/proposals.hpp"

#include "base/quantity.hpp"
#include "decide/hpa/external.hpp"
#include "decide/hpa/per_pod.hpp"
#include "decide/rules/in_flight.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

// What all metrics of one pass share.
struct setting {
    const policy& by;
    const observation& seen;
    tolerance general;
    ready_pods ready;
};

bool joins_composite(const policy& by, std::size_t metric) noexcept {
    return by.formula && by.metrics[metric].kind == metric_kind::external;
}

proposal failed(metric_failure why, sample_state read) noexcept {
    proposal out;
    out.failure = why;
    out.read = read;
    return out;
}

proposal keep_size(const observation& seen) noexcept {
    proposal out;
    out.held = true;
    out.replicas = seen.spec_replicas;
    out.ratio = 1.0;
    return out;
}

proposal of_number(const setting& in, config::target_type type, std::int64_t usage_milli, std::int64_t target_milli,
                   const tolerance& band) noexcept {
    if (target_milli <= 0) return failed(metric_failure::no_target, sample_state::ok);
    if (type == config::target_type::value) {
        return value_replicas(usage_milli, target_milli, in.seen.spec_replicas, in.ready, band);
    }
    return average_replicas(usage_milli, target_milli, status_replicas(in.seen), band);
}

metric_failure failure_of(const reading& read, const passed_metric& passed) noexcept {
    if (read.ruled.action != no_data_action::none) return metric_failure::no_data_rule;
    if (passed.fallback_failed) return metric_failure::fallback;
    return read.ruled.value.state == sample_state::empty ? metric_failure::no_metrics : metric_failure::read;
}

// A negative value keeps its sign under an autoscaling/v2 manifest; KEDA's clamp of it is in passed_metric already.
std::int64_t usage_of(const policy& by, const reading& read, const passed_metric& passed) noexcept {
    const bool native = by.scaling.kind == config::manifest_kind::horizontal_pod_autoscaler;
    if (native && !passed.fallback_active && read.ruled.value.value < 0) return -keda_milli(-read.ruled.value.value);
    return passed.value_milli;
}

proposal of_external(const setting& in, std::size_t at, const readings& from) noexcept {
    const metric_policy& metric = in.by.metrics[at];
    const reading& read = from.read[at];
    const passed_metric& passed = from.passed[at];
    if (read.ruled.action == no_data_action::hold) return keep_size(in.seen);
    if (passed.error) return failed(failure_of(read, passed), read.ruled.value.state);
    return of_number(in, metric.type, usage_of(in.by, read, passed), metric.target_milli,
                     tolerance_of(metric, in.general));
}

pods_input input_of(const setting& in, std::size_t at) noexcept {
    const metric_policy& metric = in.by.metrics[at];
    pods_input out;
    out.pods = in.seen.pods;
    out.samples = in.seen.pod_samples;
    out.metric = static_cast<std::int32_t>(at);
    out.cpu = metric.kind != metric_kind::pods && metric.resource == "cpu";
    out.spec_replicas = in.seen.spec_replicas;
    out.band = tolerance_of(metric, in.general);
    out.when = {in.seen.now_ms, std::int64_t{in.by.cpu_initialization_s} * 1000,
                std::int64_t{in.by.initial_readiness_s} * 1000};
    return out;
}

proposal of_pods(const setting& in, std::size_t at, const readings& from) {
    const metric_policy& metric = in.by.metrics[at];
    const sample_state state = from.read[at].ruled.value.state;
    if (state != sample_state::ok && state != sample_state::not_given) return failed(metric_failure::read, state);
    if (metric.type == config::target_type::utilization) {
        if (metric.utilization_pct <= 0) return failed(metric_failure::no_target, sample_state::ok);
        return resource_utilization(input_of(in, at), metric.utilization_pct);
    }
    if (metric.target_milli <= 0) return failed(metric_failure::no_target, sample_state::ok);
    return pods_average(input_of(in, at), metric.target_milli);
}

proposal of_metric(const setting& in, std::size_t at, const readings& from) {
    switch (in.by.metrics[at].kind) {
        case metric_kind::external:
        case metric_kind::object:
            return of_external(in, at, from);
        case metric_kind::pods:
        case metric_kind::resource:
        case metric_kind::container_resource:
            return of_pods(in, at, from);
        case metric_kind::unknown:
            break;
    }
    return failed(metric_failure::unknown_type, sample_state::ok);
}

proposal of_composite(const setting& in, const composite& combined) noexcept {
    if (combined.state == composite_state::none) return keep_size(in.seen);  // held
    if (!combined.has_value) return failed(metric_failure::formula, sample_state::ok);
    proposal out = of_number(in, in.by.scaling.modifiers ? in.by.scaling.modifiers->metric_type : config::target_type{},
                             combined.value_milli, in.by.composite_target_milli, in.general);
    out.from_fallback = combined.state == composite_state::fallback || combined.state == composite_state::nil_replaced;
    return out;
}

ready_pods ready_of(const observation& seen) noexcept {
    const std::int32_t ready = ready_replicas(seen);
    return {ready, ready > 0 || status_replicas(seen) > 0 || !seen.pods.empty()};
}

}  // namespace

std::size_t proposal_count(const policy& by) noexcept {
    if (!by.formula) return by.metrics.size();
    const auto others = std::count_if(by.metrics.begin(), by.metrics.end(),
                                      [](const metric_policy& one) { return one.kind != metric_kind::external; });
    return static_cast<std::size_t>(others) + 1;
}

void propose_all(const policy& by, const observation& seen, const readings& from, std::span<proposal> out) {
    const setting in{by, seen, tolerance_of(by), ready_of(seen)};
    std::size_t next = 0;
    for (std::size_t i = 0; i < by.metrics.size(); ++i) {
        if (joins_composite(by, i)) continue;
        proposal& made = build(out[next++], [&] { return of_metric(in, i, from); });
        made.from_fallback = from.passed[i].fallback_active && made.failure == metric_failure::none;
        made.metric = static_cast<std::int32_t>(i);
        guard_in_flight(by, seen, by.metrics[i], made);
    }
    if (!by.formula) return;
    build(out[next], [&] { return of_composite(in, from.modifiers); });
    out[next].metric = composite_metric;
}

}  // namespace gputide::decide
