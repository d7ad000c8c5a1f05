#include "decide/trace/keda_texts.hpp"

#include "base/format_text.hpp"
#include "decide/state/conditions.hpp"
#include "decide/trace/texts.hpp"

#include <algorithm>
#include <array>

namespace gputide::decide {

namespace {

constexpr const char* hpa_active = "HPAActive";

// The triggers by which the last executor half was active: "s0-a;s1-b".
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
    const auto found = std::find_if(hpa_conditions.begin(), hpa_conditions.end(),
                                    [&](const reported_condition& one) { return one.type == mirrored; });
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
    std::string room;
    const std::array<reported_condition, 1> conditions{
        {{condition_name(condition_type::scaling_active), own.truth, reason_name(own.reason),
          std::string(condition_message(policy, decision, condition_type::scaling_active, {}, room))}}};
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
    const bool tells_error = config::holds(config::version_rule::refused_write_is_error, write.versions);
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
