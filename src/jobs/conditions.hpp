// The conditions of a ScaledJob that its reconciler sets, and their events, with KEDA's words: kedacore/keda
// controllers/keda/scaledjob_controller.go.
#pragma once

#include "jobs/report.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gputide::jobs {

inline constexpr std::string_view paused_message = "ScaledJob is paused, skipping reconcile loop";  // of Ready

// The condition Paused where it becomes another; reason and message are its event's too.
std::optional<verdict> pause_change(bool is_paused, bool was_paused);

verdict ready_verdict(std::string message);
event ready_event();

// Something keeps it from scaling: Ready, what Active then is, and the event.
verdict failed_verdict(std::string why);
verdict unknown_activity();
event failed_event(std::string why);

}  // namespace gputide::jobs
