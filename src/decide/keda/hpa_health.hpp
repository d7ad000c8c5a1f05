// KEDA's condition HPAActive: the HPA's ScalingActive, mirrored onto the scaled object.
// In: what the HPA says.  Out: what the object should say, or nothing where it is left as it was.
// Source: kedacore/keda pkg/scaling/executor/scale_scaledobjects.go (since v2.20.2 it no longer changes Ready).
#pragma once

#include "decide/decision.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::decide {

// A condition as the API carries it: reason and message are texts, also of a foreign HPA.
struct reported_condition {
    decide::truth status = truth::unknown;
    std::string reason;
    std::string message;
};

// scaling_active: the HPA's condition of that type; nothing: the HPA cannot be read or has not said yet.
std::optional<reported_condition> mirrored_health(const std::optional<reported_condition>& scaling_active);

}  // namespace gputide::decide
