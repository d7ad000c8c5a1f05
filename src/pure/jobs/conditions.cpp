#include "jobs/conditions.hpp"

#include <utility>

namespace gputide::jobs {
namespace {

constexpr std::string_view ready_reason = "ScaledJobReady", failed_reason = "ScaledJobCheckFailed";

}  // namespace

std::optional<verdict> pause_change(bool is_paused, bool was_paused) {
    if (is_paused == was_paused) return std::nullopt;
    if (is_paused) return verdict{"True", "ScaledJobPaused", "ScaledJob is paused"};
    return verdict{"False", "ScaledJobUnpaused", "ScaledJob is unpaused"};
}

verdict ready_verdict(std::string message) { return {"True", ready_reason, std::move(message)}; }

event ready_event() { return {false, ready_reason, "ScaledJob is ready for scaling"}; }

verdict failed_verdict(std::string why) { return {"False", failed_reason, std::move(why)}; }

verdict unknown_activity() { return {"Unknown", "UnknownState", "ScaledJob check failed"}; }

event failed_event(std::string why) { return {true, failed_reason, std::move(why)}; }

}  // namespace gputide::jobs
