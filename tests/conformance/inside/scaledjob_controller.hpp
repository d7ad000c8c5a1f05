// What a new or changed ScaledJob sets going in KEDA: kedacore/keda controllers/keda/scaledjob_controller.go.  The library has no
// such pass: it checks a manifest as it reads it, and rolls out, pauses and reports one by one (src/kubernetes/controller/job_changes.cpp).  What a
// case asks of the whole pass is put together here from the library's parts.
#pragma once

#include "jobs/cleaning.hpp"

#include <optional>
#include <vector>

namespace conformance::scaledjob_controller {

namespace jobs = gputide::jobs;

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
    std::vector<jobs::event> events;
    std::optional<jobs::verdict> ready, active, paused;  // nothing: left alone
};

// In KEDA the old generation's jobs are deleted before the triggers are looked at, so that a typing error kills running work;
// outside the strict profile the triggers are built and checked first.
reconciliation reconcile(const gputide::config::scaled_job& job, const inspection& found,
                         const std::vector<jobs::job>& jobs, const jobs::erase_job& erase);

}  // namespace conformance::scaledjob_controller
