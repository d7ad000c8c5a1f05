#include "jobs/conditions.hpp"

#include <utility>

namespace gputide::jobs {

std::optional<verdict> pause_change(bool is_paused, bool was_paused) {
    if (is_paused == was_paused) return std::nullopt;
    if (is_paused) return verdict{"True", "ScaledJobPaused", "ScaledJob is paused"};
    return verdict{"False", "ScaledJobUnpaused", "ScaledJob is unpaused"};
}

verdict ready_verdict(std::string message) { return {"True", "ScaledJobReady", std::move(message)}; }

}  // namespace gputide::jobs
