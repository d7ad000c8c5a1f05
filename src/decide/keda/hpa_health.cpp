// HPAActive; see hpa_health.hpp.
#include "decide/keda/hpa_health.hpp"

namespace gputide::decide {

std::optional<reported_condition> mirrored_health(const std::optional<reported_condition>& scaling_active) {
    if (!scaling_active) return std::nullopt;
    const reported_condition& condition = *scaling_active;
    const std::string disabled = reason_name(reason::scaling_disabled);
    if (condition.status == truth::yes) return reported_condition{truth::yes, "HPAActive", "HPA is actively scaling"};
    if (condition.status != truth::no) return std::nullopt;
    // At 0 replicas the HPA switches itself off; that is its health, not its illness.
    if (condition.reason == disabled) return reported_condition{truth::yes, disabled, condition.message};
    const std::string why = condition.reason.empty() ? "HPAMetricsUnavailable" : condition.reason;
    return reported_condition{truth::no, why, "HPA is not actively scaling: " + condition.message};
}

}  // namespace gputide::decide
