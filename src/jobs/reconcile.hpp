// What a new or changed ScaledJob sets going: kedacore/keda controllers/keda/scaledjob_controller.go.  Pure but for the caller's
// `erase`.
#pragma once

#include "jobs/cleaning.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::jobs {

// What was found out about the object, and how its conditions stood before.
struct inspection {
    bool has_job_target = true;
    bool triggers_are_sound = true;  // names that differ, no cached metrics where none can be
    bool scalers_can_be_built = true;
    bool has_metric_type = false;  // which a ScaledJob's triggers may not have
    bool was_paused = false;
    bool was_ready = false;
};

enum class poll_loop { unchanged, started, stopped };

struct reconciliation {
    poll_loop loop = poll_loop::unchanged;
    std::vector<event> events;
    std::optional<verdict> ready, active, paused;  // nothing: left alone
};

inline constexpr std::string_view paused_message = "ScaledJob is paused, skipping reconcile loop";  // of Ready

// The condition Paused where it becomes another; reason and message are its event's too.
std::optional<verdict> pause_change(bool is_paused, bool was_paused);
verdict ready_verdict(std::string message);

// In KEDA the old generation's jobs are deleted before the triggers are looked at, so that a typing error kills running work;
// outside the strict profile the triggers are built and checked first.
reconciliation reconcile(const config::scaled_job& job, const inspection& found, const std::vector<jobs::job>& jobs,
                         const erase_job& erase);

}  // namespace gputide::jobs
