// Builds a policy: checks combinations of settings, and computes everything that never changes.
// Source of the checks: kedacore/keda apis/keda/v1alpha1/scaledobject_webhook.go; of the pause annotations' changes to the
// HPA's behavior: kedacore/keda controllers/keda/hpa.go.
#include "decide/policy.hpp"

#include "base/checksum.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "base/never_destroyed.hpp"
#include "base/text.hpp"
#include "decide/formula/formula.hpp"
#include "decide/keda/fallback.hpp"
#include "decide/saturate.hpp"
#include "manifest/names.hpp"
#include "manifest/scaling.hpp"

#include <algorithm>
#include <utility>

namespace gputide::decide {

namespace {

constexpr const char* modifiers_place = "spec.advanced.scalingModifiers";

error modifiers_error(const std::string& message) { return fail_at(status::invalid, modifiers_place, message); }

bool is_external(const metric_policy& metric) { return metric.kind == metric_kind::external; }

// Rejects duplicate names: KEDA's metric server identifies a metric only by its name.
result<void> check_names(const policy& policy) {
    if (policy.metrics.size() > limits::triggers)
        return fail(status::limit, "at most {} triggers, got {}", limits::triggers, policy.metrics.size());
    if (policy.scaling.kind != manifest::manifest_kind::scaled_object) return {};
    for (std::size_t i = 0; i < policy.metrics.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (is_external(policy.metrics[i]) && is_external(policy.metrics[j]) &&
                policy.metrics[i].name == policy.metrics[j].name)
                return fail(status::invalid, "metricName {} defined multiple times in ScaledObject {}",
                            policy.metrics[i].name, policy.scaling.name)
                    .at(format_text("spec.triggers[{}]", i));
    return {};
}

// Returns the name of each metric in formulas; "" without a name and for cpu and memory.
std::vector<std::string_view> formula_names(const std::vector<metric_policy>& metrics) {
    std::vector<std::string_view> out;
    out.reserve(metrics.size());
    for (const metric_policy& metric : metrics)
        out.push_back(is_external(metric) ? std::string_view(metric.user_name) : std::string_view());
    return out;
}

// Returns the names of cpu and memory triggers, which formulas cannot use.
std::vector<std::string_view> unusable_names(const std::vector<metric_policy>& metrics) {
    std::vector<std::string_view> out;
    for (const metric_policy& metric : metrics)
        if (!is_external(metric) && !metric.user_name.empty()) out.push_back(metric.user_name);
    return out;
}

result<void> compile(policy& out, const manifest::scaling_modifiers& modifiers) {
    if (modifiers.formula.empty())
        return modifiers_error(
            "error ScalingModifiers.Formula is mandatory: give scalingModifiers.formula, or remove the block");
    if (modifiers.target.empty())
        return modifiers_error(
            "error validating formula in ScalingModifiers: formula is given but target is empty; give "
            "scalingModifiers.target");
    const formula_mode mode = is_strict(out.scaling) ? formula_mode::strict : formula_mode::standard;
    result<formula> made =
        formula::compile(modifiers.formula, formula_names(out.metrics), mode, unusable_names(out.metrics));
    if (!made) {
        error failure = made.take_failure();
        failure.message = "error validating formula in ScalingModifiers: " + failure.message;
        return failure;
    }
    out.formula = std::make_shared<const formula>(*std::move(made));
    return {};
}

error target_error(const std::string& cause) {
    return modifiers_error("error validating target in ScalingModifiers: " + cause);
}

// Reads the target as int64(target · 1000): "0.0159" → 15.
result<void> read_target(policy& out, const manifest::scaling_modifiers& modifiers) {
    const std::optional<double> target = parse_go_float(modifiers.target, true);
    if (!target || !(*target > 0))
        return target_error(
            "error converting target for scalingModifiers (string->float) to valid target: expected a number above 0, "
            "got " +
            in_quotes(modifiers.target));
    if (modifiers.metric_type == manifest::target_type::utilization)
        return target_error(
            "error trigger type is Utilization, but it needs to be AverageValue or Value for external metrics");
    out.composite_target = *target;
    out.composite_target_milli = to_int64(*target * 1000);
    if (out.composite_target_milli == 0)
        return target_error("the HPA takes targets of 0.001 and more, got " + in_quotes(modifiers.target));
    return {};
}

result<void> read_activation_target(policy& out, const manifest::scaling_modifiers& modifiers) {
    if (modifiers.activation_target.empty()) return {};
    const std::optional<double> target = parse_go_float(modifiers.activation_target, true);
    out.composite_activation = target.value_or(0.0);
    out.composite_activation_invalid = !target;
    if (target || is_strict(out.scaling)) return {};
    return modifiers_error("scalingModifiers.ActivationTarget parsing error: expected a number, got " +
                           in_quotes(modifiers.activation_target));
}

result<void> read_modifiers(policy& out) {
    if (!out.scaling.modifiers) return {};
    const manifest::scaling_modifiers modifiers = *out.scaling.modifiers;
    if (result<void> done = compile(out, modifiers); !done) return done;
    if (result<void> done = read_target(out, modifiers); !done) return done;
    return read_activation_target(out, modifiers);
}

void disable_paused_directions(policy& out) {
    const manifest::pause& pause = out.scaling.pause;
    if (!pause.scale_in && !pause.scale_out) return;
    if (!out.scaling.behavior) out.scaling.behavior = manifest::default_behavior(out.scaling.controller);
    if (pause.scale_in) out.scaling.behavior->down.select = manifest::select_policy::disabled;
    if (pause.scale_out) out.scaling.behavior->up.select = manifest::select_policy::disabled;
}

}  // namespace

const manifest::metric_subject& metric_policy::about() const noexcept {
    static const never_destroyed<manifest::metric_subject> none;
    return subject ? *subject : *none;
}

void append_selector(std::string& out, const policy& policy, const metric_policy& metric,
                     std::string manifest::label_selector::*form) {
    if (policy.scaling.kind == manifest::manifest_kind::scaled_object)
        return manifest::append_keda_selector(out, policy.scaling.name, form);
    out += metric.about().selector.*form;
}

std::string selector_of(const policy& policy, const metric_policy& metric,
                        std::string manifest::label_selector::*form) {
    std::string out;
    append_selector(out, policy, metric, form);
    return out;
}

result<policy> make_policy(manifest::scaling scaling, std::vector<metric_policy> metrics) {
    policy out;
    out.scaling = std::move(scaling);
    out.metrics = std::move(metrics);
    if (const result<void> done = check_names(out); !done) return done.failure();
    if (const result<void> done = read_modifiers(out); !done) return done.failure();
    out.fallback_on = fallback_is_valid(out.scaling);
    disable_paused_directions(out);
    const bool caches = std::ranges::any_of(out.metrics, [](const auto& entry) { return entry.use_cached; });
    out.takes_hpa_reads = manifest::takes_hpa_reads(out.scaling, caches);
    out.spec = spec_sums_of(out);
    result<std::shared_ptr<const forecast_rule>> forecast = make_forecast_rule(out);
    if (!forecast) return forecast.take_failure();
    out.forecast = *std::move(forecast);
    return out;
}

namespace {

void add_rules(json_writer& out, const manifest::scaling_rules& rules) {
    out.begin_array().integer(rules.window_s).integer(static_cast<std::int32_t>(rules.select)).number(rules.tolerance);
    for (const manifest::scaling_policy& rule : rules.policies)
        out.integer(static_cast<std::int32_t>(rule.type)).integer(rule.value).integer(rule.period_s);
    out.end_array();
}

void add_target(json_writer& out, manifest::target_type type, std::int64_t milli, std::int32_t percent) {
    out.integer(static_cast<std::int32_t>(type)).integer(milli).integer(percent);
}

void add_metric(json_writer& out, const policy& policy, const metric_policy& metric) {
    const manifest::metric_subject& about = metric.about();
    out.begin_array().integer(static_cast<std::int32_t>(metric.kind)).string(metric.name);
    out.string(metric.is_resource() ? metric.name : "").string(about.container).string(about.object_kind);
    out.string(about.object_name).string(selector_of(policy, metric, &manifest::label_selector::query));
    add_target(out, metric.type, metric.target_milli, metric.utilization_pct);
    out.end_array();
}

// Adds the HPA's metrics: a formula replaces all External metrics by one; the formula itself is not part of the HPA.
void add_metrics(json_writer& out, const policy& policy) {
    const auto& modifiers = policy.scaling.modifiers;
    if (modifiers) {
        add_target(out, modifiers->metric_type, policy.composite_target_milli, 0);
    }
    for (const metric_policy& metric : policy.metrics) {
        if (!modifiers || metric.kind != metric_kind::external) add_metric(out, policy, metric);
    }
}

void add_hpa(json_writer& out, const policy& policy) {
    const manifest::scaling& scaling = policy.scaling;
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
    const manifest::scaling& scaling = policy.scaling;
    out.begin_array().integer(scaling.polling_interval_s).integer(scaling.cooldown_s);
    out.integer(scaling.initial_cooldown_s).integer(scaling.idle.value_or(-1)).integer(scaling.min.value_or(-1));
    if (scaling.fallback) {
        out.integer(scaling.fallback->failure_threshold).integer(scaling.fallback->replicas);
        out.integer(static_cast<std::int32_t>(scaling.fallback->behavior));
    }
    if (scaling.modifiers) out.string(scaling.modifiers->formula).string(scaling.modifiers->activation_target);
    for (const metric_policy& metric : policy.metrics)
        out.string(metric.user_name).number(metric.activation_threshold).integer(std::int64_t{metric.query_sum});
    out.end_array();
}

std::uint32_t sum_of(std::string_view text) { return std::max<std::uint32_t>(1, crc32c(text)); }

}  // namespace

// kedacore/keda controllers/keda/hpa.go newHPAForScaledObject lists the members of a ScaledObject that reach the HPA.
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
