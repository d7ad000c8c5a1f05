// What KEDA says beside its conditions: the events of a write, and the condition HPAActive.  Texts alone; nothing is decided by them.
// Wording: kedacore/keda pkg/scaling/executor/scale_scaledobjects.go @v2.21.0.
#pragma once

#include "decide/decision.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <optional>
#include <span>
#include <string>

namespace gputide::decide {

// A condition as the API carries it.
struct reported_condition {
    std::string type;
    truth status = truth::unknown;
    std::string reason;
    std::string message;
};

// Returns the condition HPAActive of a ScaledObject: the first ScalingActive among its HPA's conditions, mirrored.  At 0 replicas the
// HPA switches itself off, which is its health and not its illness.  Nothing where the HPA has no such condition.
std::optional<reported_condition> hpa_active_of(std::span<const reported_condition> hpa_conditions);

// The same for a scaler whose HPA half is the HPA: by the decision's own ScalingActive.
std::optional<reported_condition> hpa_active_of(const policy& policy, const decision& decision);

// What the event of a write tells beside the sizes.
struct write_event {
    std::string target;  // "apps/v1.Deployment ml/llm"
    std::string cause;   // of an activation: "triggered by s0-a;s1-b"
    std::string error;   // why the write failed
    config::original_versions versions;
};

// Its cause and versions, after the tick that decided it.
write_event write_event_of(const policy& policy, const state& state);

// The message of decision.event; "" where there is none.  From KEDA 2.21 on that of a failed write ends with the error.
std::string event_message(const decision& decision, const write_event& write);

}  // namespace gputide::decide
