// kedacore/keda controllers/keda/hpa.go newHPAForScaledObject says which members of a ScaledObject reach the HPA.
#include "decide/spec_sums.hpp"

#include "base/checksum.hpp"
#include "base/json_writer.hpp"
#include "decide/policy.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

void add_rules(json_writer& out, const config::scaling_rules& rules) {
    out.begin_array().integer(rules.window_s).integer(static_cast<std::int32_t>(rules.select)).number(rules.tolerance);
    for (const config::scaling_policy& one : rules.policies)
        out.integer(static_cast<std::int32_t>(one.type)).integer(one.value).integer(one.period_s);
    out.end_array();
}

void add_target(json_writer& out, config::target_type type, std::int64_t milli, std::int32_t percent) {
    out.integer(static_cast<std::int32_t>(type)).integer(milli).integer(percent);
}

void add_metric(json_writer& out, const metric_policy& metric) {
    out.begin_array().integer(static_cast<std::int32_t>(metric.kind)).string(metric.name).string(metric.resource);
    out.string(metric.container).string(metric.object_kind).string(metric.object_name).string(metric.selector);
    add_target(out, metric.type, metric.target_milli, metric.utilization_pct);
    out.end_array();
}

// A formula makes one metric of all External ones; the formula itself is not part of the HPA.
void add_metrics(json_writer& out, const policy& policy) {
    const auto& modifiers = policy.scaling.modifiers;
    if (modifiers) {
        add_target(out, modifiers->metric_type, policy.composite_target_milli, 0);
    }
    for (const metric_policy& one : policy.metrics) {
        if (!modifiers || one.kind != metric_kind::external) add_metric(out, one);
    }
}

void add_hpa(json_writer& out, const policy& policy) {
    const config::scaling& scaling = policy.scaling;
    out.begin_array().string(scaling.target_api_version).string(scaling.target_kind).string(scaling.target_name);
    out.integer(scaling.created_ms.value_or(0)).integer(scaling.hpa_min()).integer(scaling.max);
    add_metrics(out, policy);
    if (scaling.behavior) {
        add_rules(out, scaling.behavior->up);
        add_rules(out, scaling.behavior->down);
    }
    out.end_array();
}

void add_rest(json_writer& out, const policy& policy) {
    const config::scaling& scaling = policy.scaling;
    out.begin_array().integer(scaling.polling_interval_s).integer(scaling.cooldown_s);
    out.integer(scaling.initial_cooldown_s).integer(scaling.idle.value_or(-1)).integer(scaling.min.value_or(-1));
    if (scaling.fallback) {
        out.integer(scaling.fallback->failure_threshold).integer(scaling.fallback->replicas);
        out.integer(static_cast<std::int32_t>(scaling.fallback->behavior));
    }
    if (scaling.modifiers) out.string(scaling.modifiers->formula).string(scaling.modifiers->activation_target);
    for (const metric_policy& one : policy.metrics)
        out.string(one.user_name).number(one.activation_threshold).integer(std::int64_t{one.question});
    out.end_array();
}

std::uint32_t sum_of(std::string_view text) { return std::max<std::uint32_t>(1, crc32c(text)); }

}  // namespace

spec_sums spec_sums_of(const policy& policy) {
    json_writer hpa;
    add_hpa(hpa, policy);
    std::string text = hpa.take();
    spec_sums out;
    out.hpa = sum_of(text);
    json_writer rest;
    add_rest(rest, policy);
    out.whole = sum_of(text + rest.take());
    return out;
}

}  // namespace gputide::decide
