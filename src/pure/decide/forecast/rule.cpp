#include "base/checksum.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "decide/decision.hpp"
#include "decide/policy.hpp"

#include <string>

namespace gputide::decide {

namespace {

constexpr const char* metric_place = "gputide.io/forecast-metric";

forecast::settings settings_of(const manifest::extra_rules& extra) {
    return {extra.forecast, extra.sync_period_ms > 60'000 ? 300'000 : 60'000};
}

bool joins_formula(const policy& policy, const metric_policy& metric) {
    return policy.formula != nullptr && metric.kind == metric_kind::external;
}

bool has_target(const metric_policy& metric) {
    if (metric.kind == metric_kind::unknown) return false;
    return metric.type == manifest::target_type::utilization ? metric.utilization_pct > 0 : metric.target_milli > 0;
}

bool can_be_forecast(const policy& policy, const metric_policy& metric) {
    return has_target(metric) && !joins_formula(policy, metric);
}

std::string names_of(const policy& policy) {
    std::string out;
    for (const metric_policy& metric : policy.metrics) {
        if (can_be_forecast(policy, metric)) append_item(out, metric.label());
    }
    return out.empty() ? "none" : out;
}

void set_target(forecast_rule& out, manifest::target_type type, double target, const std::string& query) {
    out.target = target;
    out.subject = crc32c(format_text("{} {}", static_cast<std::int32_t>(type), query));
}

// Returns the rule for the formula's result, which all external triggers share.
forecast_rule rule_of_composite(const policy& policy, const forecast_rule& rule) {
    const manifest::scaling_modifiers& modifiers = *policy.scaling.modifiers;
    forecast_rule out = rule;
    out.metric = composite_metric;
    std::string query = modifiers.formula;
    for (const metric_policy& metric : policy.metrics) query += format_text(" {} {}", metric.name, metric.query_sum);
    set_target(out, modifiers.metric_type, static_cast<double>(policy.composite_target_milli) / 1000, query);
    return out;
}

forecast_rule rule_of_metric(const policy& policy, std::size_t at, const forecast_rule& rule) {
    const metric_policy& metric = policy.metrics[at];
    forecast_rule out = rule;
    out.metric = static_cast<std::int32_t>(at);
    set_target(out, metric.type, metric.target(),
               format_text("{} {} {}", metric.name, selector_of(policy, metric, &manifest::label_selector::query),
                           metric.query_sum));
    return out;
}

}  // namespace

result<std::shared_ptr<const forecast_rule>> make_forecast_rule(const policy& policy) {
    const manifest::forecast_rules& written = policy.scaling.extra.forecast;
    if (written.mode == manifest::forecast_mode::off) return std::shared_ptr<const forecast_rule>();
    const forecast_rule common{.settings = settings_of(policy.scaling.extra)};
    if (written.metric.empty() && policy.formula != nullptr)
        return std::make_shared<const forecast_rule>(rule_of_composite(policy, common));
    for (std::size_t i = 0; i < policy.metrics.size(); ++i) {
        const metric_policy& metric = policy.metrics[i];
        const bool meant = written.metric.empty() || written.metric == metric.label();
        if (meant && can_be_forecast(policy, metric))
            return std::make_shared<const forecast_rule>(rule_of_metric(policy, i, common));
    }
    if (written.metric.empty())
        return fail_at(status::invalid, "gputide.io/forecast", "no metric has a target: remove the annotation");
    return fail(status::invalid, "expected the name of a metric with a target of its own ({}), got {}",
                names_of(policy), in_quotes(written.metric))
        .at(metric_place);
}

}  // namespace gputide::decide
