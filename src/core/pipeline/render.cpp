#include "base/format_text.hpp"
#include "base/json_memory.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "decide/decision.hpp"
#include "forecast/text.hpp"
#include "manifest/spec.hpp"
#include "pipeline/pipeline.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace gputide::pipeline {
namespace {

namespace dom = simdjson::dom;

std::string text_of(dom::element object, const char* member) {
    std::string_view out;
    return object[member].get(out) == simdjson::SUCCESS ? plain_line(std::string(out)) : std::string();
}

std::string number_of(dom::element object, const char* member) {
    std::int64_t out = 0;
    return object[member].get(out) == simdjson::SUCCESS ? std::to_string(out) : std::string("?");
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text + "  ";
}

using row = std::array<std::string, 4>;

// Adds a table of conditions in the format of `kubectl describe`.
void add_conditions(std::string& out, dom::array conditions) {
    std::vector<row> rows{{"Type", "Status", "Reason", "Message"}, {"----", "------", "------", "-------"}};
    for (dom::element element : conditions) {
        rows.push_back({text_of(element, "type"), text_of(element, "status"), text_of(element, "reason"),
                        text_of(element, "message")});
    }
    std::array<std::size_t, 3> widths{};
    for (const row& cells : rows) {
        for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
    }
    out += "Conditions:\n";
    for (const row& cells : rows) {
        std::string line = "  ";
        for (std::size_t i = 0; i < widths.size(); ++i) line += padded(cells[i], widths[i]);
        line += cells.back();
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
}

std::string headline(dom::element report) {
    std::string out =
        format_text("{}/{} at {}: ", text_of(report, "namespace"), text_of(report, "name"), text_of(report, "time"));
    out +=
        format_text("{} -> {} replicas", number_of(report, "current_replicas"), number_of(report, "desired_replicas"));
    out += " (the metrics ask for " + number_of(report, "proposed_replicas");
    const std::string limit = text_of(report, "limited_by");
    if (!limit.empty() && limit != "none") out += ", limited by " + limit;
    return out + ")\n";
}

}  // namespace

result<std::string> render_report(std::string_view report) {
    dom::parser parser;
    dom::element root;
    dom::array conditions;
    const bool readable = parse_json(parser, report, root) == simdjson::SUCCESS && root.is_object() &&
                          root["conditions"].get(conditions) == simdjson::SUCCESS;
    if (!readable) return fail(status::invalid, "report: expected the JSON of a decision, with its conditions");
    std::string out = headline(root);
    if (const std::string wrong = text_of(root, "error"); !wrong.empty()) {
        out += format_text("Error: {}\n", wrong);
    }
    add_conditions(out, conditions);
    dom::array steps;
    if (root["trace"].get(steps) != simdjson::SUCCESS) return out;
    out += "Trace:\n";
    for (dom::element step : steps) {
        out += format_text("  {}{}\n", padded(text_of(step, "step"), 10), text_of(step, "text"));
    }
    return out;
}

namespace {

template <std::size_t Count, class Enum>
std::string_view word(const std::array<std::string_view, Count>& words, Enum value) {
    const auto index = static_cast<std::size_t>(value);
    return index < Count ? words[index] : std::string_view("unknown");
}

constexpr std::array<std::string_view, 2> policy_words{"Pods", "Percent"};
constexpr std::array<std::string_view, 3> select_words{"Max", "Min", "Disabled"};
constexpr std::array<std::string_view, 5> fallback_words{"static", "currentReplicas", "currentReplicasIfHigher",
                                                         "currentReplicasIfLower", "scalingModifiers"};

void write_rules(json_writer& json, std::string_view name, const manifest::scaling_rules& rules) {
    json.key(name).begin_object();
    json.member("stabilizationWindowSeconds", rules.window_s);
    json.member("selectPolicy", word(select_words, rules.select));
    json.member("tolerance", rules.tolerance);
    json.key("policies").begin_array();
    for (const manifest::scaling_policy& policy : rules.policies) {
        json.begin_object().member("type", word(policy_words, policy.type)).member("value", policy.value);
        json.member("periodSeconds", policy.period_s).end_object();
    }
    json.end_array().end_object();
}

void write_metric(json_writer& json, const decide::metric_policy& metric) {
    json.begin_object().member("metric", metric.label()).member("metric_name", metric.name);
    json.member("kind", manifest::metric_kind_word(metric.kind))
        .member("type", word(source::target_type_names, metric.type));
    if (metric.type == manifest::target_type::utilization) {
        json.member("averageUtilization", metric.utilization_pct);
    } else {
        json.member("target", static_cast<double>(metric.target_milli) / 1000.0);
    }
    if (metric.decides_activity) json.member("activationThreshold", metric.activation_threshold);
    json.member("noData", word(manifest::no_data_names, metric.rules.no_data));
    if (metric.rules.max_age_ms > 0) json.member("maxSampleAgeMs", metric.rules.max_age_ms);
    json.end_object();
}

void write_executor(json_writer& json, const manifest::scaling& scaling) {
    json.member("minReplicaCount", scaling.min.value_or(0)).member("maxReplicaCount", scaling.max);
    if (scaling.idle) json.member("idleReplicaCount", *scaling.idle);
    json.member("pollingInterval", scaling.polling_interval_s);
    json.member("cooldownPeriod", scaling.cooldown_s).member("initialCooldownPeriod", scaling.initial_cooldown_s);
    if (!scaling.fallback) return;
    json.key("fallback").begin_object().member("failureThreshold", scaling.fallback->failure_threshold);
    json.member("replicas", scaling.fallback->replicas);
    json.member("behavior", word(fallback_words, scaling.fallback->behavior)).end_object();
}

// Writes what KEDA passes to the HPA, and its pause annotations.
void write_hpa_and_pause(json_writer& json, const manifest::scaling& scaling) {
    json.key("hpa").begin_object().member("minReplicas", scaling.hpa_min()).member("maxReplicas", scaling.max);
    json.end_object();
    const manifest::pause& pause = scaling.pause;
    json.key("pause").begin_object().member("hasPausedAnnotation", pause.annotated).member("paused", pause.paused);
    if (pause.paused_replicas) json.member("pausedReplicas", *pause.paused_replicas);
    json.member("pausedScaleIn", pause.scale_in).member("pausedScaleOut", pause.scale_out);
    json.member("forceActivation", pause.force_activation).end_object();
}

void write_controller(json_writer& json, const manifest::controller_flags& controller) {
    json.key("controller").begin_object().member("tolerance", controller.tolerance);
    json.member("downscaleStabilizationSeconds", controller.downscale_window_s);
    json.member("cpuInitializationPeriodSeconds", controller.cpu_initialization_s);
    json.member("initialReadinessDelaySeconds", controller.initial_readiness_s);
    json.member("scaleToZero", controller.can_scale_to_zero()).end_object();
}

void write_forecast(json_writer& json, const decide::policy& policy) {
    const decide::forecast_rule& rule = *policy.forecast;
    const bool formula = rule.metric == decide::composite_metric;
    json.key("forecast").begin_object();
    json.member("metric", formula ? std::string("composite-metric")
                                  : policy.metrics[static_cast<std::size_t>(rule.metric)].label());
    json.member("target", rule.target).member("history_ms", policy.scaling.extra.forecast.history_ms);
    forecast::write_settings(json, rule.settings);
    json.end_object();
}

}  // namespace

std::string policy_json(const decide::policy& policy) {
    const manifest::scaling& scaling = policy.scaling;
    const bool is_hpa = scaling.kind == manifest::manifest_kind::horizontal_pod_autoscaler;
    json_writer json;
    json.begin_object().member("kind", std::string_view(is_hpa ? "HorizontalPodAutoscaler" : "ScaledObject"));
    json.member("name", scaling.name).member("namespace", scaling.name_space);
    json.key("target").begin_object().member("apiVersion", scaling.target_api_version);
    json.member("kind", scaling.target_kind).member("name", scaling.target_name).end_object();
    const bool is_strict = scaling.extra.profile == manifest::profile::strict;
    json.member("profile", std::string_view(is_strict ? "strict" : "default"));
    if (is_hpa) {
        json.member("minReplicas", scaling.hpa_min()).member("maxReplicas", scaling.max);
    } else {
        write_executor(json, scaling);
        write_hpa_and_pause(json, scaling);
    }
    write_controller(json, scaling.controller);
    json.member("syncPeriodMs", scaling.extra.sync_period_ms);
    json.member("gpusPerReplica", static_cast<double>(scaling.extra.gpus_per_replica_milli) / 1000.0);
    if (scaling.extra.cost_per_gpu_hour > 0.0) json.member("costPerGpuHour", scaling.extra.cost_per_gpu_hour);
    if (policy.forecast) write_forecast(json, policy);
    json.key("behavior");
    if (scaling.behavior) {
        json.begin_object();
        write_rules(json, "scaleUp", scaling.behavior->up);
        write_rules(json, "scaleDown", scaling.behavior->down);
        json.end_object();
    } else {
        json.null();
    }
    if (scaling.modifiers) {
        json.key("scalingModifiers").begin_object().member("formula", scaling.modifiers->formula);
        json.member("metricType", word(source::target_type_names, scaling.modifiers->metric_type));
        json.member("target", policy.composite_target)
            .member("activationTarget", policy.composite_activation)
            .end_object();
    }
    json.key("metrics").begin_array();
    for (const decide::metric_policy& metric : policy.metrics) write_metric(json, metric);
    return json.end_array().end_object().take();
}

}  // namespace gputide::pipeline
