// The conditions and events of a ScaledJob's reconciler, with KEDA's texts: kedacore/keda
// controllers/keda/scaledjob_controller.go.
#pragma once

#include "jobs/report.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::jobs {

inline constexpr std::string_view paused_message = "ScaledJob is paused, skipping reconcile loop";  // of Ready

// Returns the condition Paused if it changes; its event has the same reason and message.
std::optional<verdict> pause_change(bool is_paused, bool was_paused);

verdict ready_verdict(std::string message);
event ready_event();

// The conditions Ready and Active, and the event, if something prevents scaling.
verdict failed_verdict(std::string why);
verdict unknown_activity();
event failed_event(std::string why);

}  // namespace gputide::jobs
