// The message of each condition, by its reason, with upstream's wording and values from the decision.
#include "base/format_text.hpp"
#include "decide/decision.hpp"
#include "decide/trace/texts.hpp"

#include <algorithm>
#include <array>

namespace gputide::decide {

namespace {

std::string_view reason_given(std::string_view error) {
    return error.empty() ? std::string_view("no reason was given") : error;
}

std::string unable_text(std::string_view what, const text_details& details) {
    return format_text("the HPA controller was unable to {}: {}", what, reason_given(details.scale_error));
}

// kedacore/keda pkg/scaling/executor/scale_scaledobjects.go (scaleFromZeroOrIdle, scaleToZeroOrIdle, RequestScale).
std::string_view failed_write_text(const decision& decision) noexcept {
    if (decision.event == event::activation_failed) return "error activating ScaleTarget: ";
    if (decision.event == event::deactivation_failed) return "error deactivating ScaleTarget: ";
    return "error setting ScaleTarget replicas count to ScaledObject minReplicaCount: ";
}

}  // namespace

std::string refused_write_text(const decision& decision, std::string_view error) {
    std::string out(failed_write_text(decision));
    return out += reason_given(error);
}

std::string_view condition_message(const policy& policy, const decision& decision, condition_type type,
                                   const text_details& details, std::string& buffer) {
    const condition& condition = condition_of(decision.conditions, type);
    if (condition.truth == truth::absent) return {};
    switch (condition.reason) {
        case reason::failed_get_scale:
            return buffer = unable_text("get the target's current scale", details);
        case reason::failed_update_scale:
            return buffer = unable_text("update the target scale", details);
        case reason::error_getting_current_replicas:
            buffer = "Error getting current replicas count for ScaleTarget: ";
            return buffer += reason_given(details.scale_error);
        case reason::error_scaling_target:
            if (details.scale_error.empty()) return buffer = refused_write_text(decision, {});
            return buffer = details.scale_error;
        case reason::succeeded_rescale:
            buffer = "the HPA controller was able to update the target scale to ";
            return buffer += std::to_string(decision.desired_replicas);
        case reason::valid_metric_found:
            buffer = "the HPA was able to successfully calculate a replica count from ";
            if (decision.winner == -1) return buffer += "the metrics of an earlier pass";
            append_metric_text(buffer, policy, decision.winner, &manifest::label_selector::shown);
            return buffer;
        case reason::failed_get_resource_metric:
        case reason::failed_get_container_resource_metric:
        case reason::failed_get_pods_metric:
        case reason::failed_get_object_metric:
        case reason::failed_get_external_metric:
        case reason::invalid_metric_source_type:
            buffer = "the HPA was unable to compute the replica count: ";
            return buffer += decision.failed_count == 0 ? "metrics failed in an earlier pass"
                                                        : condition_error_text(policy, decision, details);
        case reason::scaler_active:
            return policy.scaling.pause.force_activation
                       ? "Scaling is performed because activation is being forced by annotation"
                       : "Scaling is performed because triggers are active";
        default:
            break;
    }
    const std::string_view text = reason_text(condition.reason);
    if (type != condition_type::able_to_scale || decision.limited_by != limit::forecast) return text;
    return buffer = format_text("{}; the forecast load needs {} replicas", text, decision.forecast_need);
}

namespace {

constexpr const char* hpa_active = "HPAActive";

// Returns the triggers that were active in the last run of the executor half: "s0-a;s1-b".
std::string active_triggers(const policy& policy, const state& state) {
    std::string out;
    for (std::size_t i = 0; i < policy.metrics.size() && i < state.health.size(); ++i) {
        if (!state.health[i].active || !policy.metrics[i].decides_activity) continue;
        if (!out.empty()) out += ';';
        out += policy.metrics[i].name;
    }
    return out;
}

}  // namespace

std::optional<reported_condition> hpa_active_of(std::span<const reported_condition> hpa_conditions) {
    const std::string_view mirrored = condition_name(condition_type::scaling_active);
    const auto found = std::ranges::find_if(
        hpa_conditions, [&](const reported_condition& condition) { return condition.type == mirrored; });
    if (found == hpa_conditions.end()) return std::nullopt;
    if (found->status == truth::yes)
        return reported_condition{hpa_active, truth::yes, hpa_active, "HPA is actively scaling"};
    if (found->reason == reason_name(reason::scaling_disabled))
        return reported_condition{hpa_active, truth::yes, found->reason, found->message};
    return reported_condition{hpa_active, truth::no, found->reason.empty() ? "HPAMetricsUnavailable" : found->reason,
                              "HPA is not actively scaling: " + found->message};
}

std::optional<reported_condition> hpa_active_of(const policy& policy, const decision& decision) {
    const condition& own = condition_of(decision.conditions, condition_type::scaling_active);
    if (own.truth == truth::absent) return std::nullopt;
    std::string buffer;
    const std::array<reported_condition, 1> conditions{
        {{condition_name(condition_type::scaling_active), own.truth, reason_name(own.reason),
          std::string(condition_message(policy, decision, condition_type::scaling_active, {}, buffer))}}};
    return hpa_active_of(conditions);
}

write_event write_event_of(const policy& policy, const state& state) {
    const bool forced = policy.scaling.pause.force_activation;
    return {
        .target = {},
        .cause = forced ? "caused by forced activation annotation" : "triggered by " + active_triggers(policy, state),
        .error = {},
        .versions = policy.scaling.controller.versions};
}

std::string event_message(const decision& decision, const write_event& write) {
    const std::string sizes =
        format_text("{} from {} to {}", write.target, decision.current_replicas, decision.desired_replicas);
    const bool tells_error = manifest::holds(manifest::version_rule::refused_write_is_error, write.versions);
    const std::string error = tells_error ? ": " + write.error : std::string();
    switch (decision.event) {
        case event::activated:
            return format_text("Scaled {}, {}", sizes, write.cause);
        case event::deactivated:
            return "Deactivated " + sizes;
        case event::activation_failed:
            return format_text("Failed to scale {}{}", sizes, error);
        case event::deactivation_failed:
            return format_text("Failed to deactivate {}{}", sizes, error);
        case event::none:
            break;
    }
    return {};
}

}  // namespace gputide::decide
