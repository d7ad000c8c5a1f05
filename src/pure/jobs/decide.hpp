// One poll of a ScaledJob: the number of Jobs to create, and its conditions and events. kedacore/keda
// pkg/scaling/executor/scale_jobs.go (RequestJobScale).  Pure: no clock, no cluster.
#pragma once

#include "jobs/demand.hpp"
#include "jobs/job.hpp"
#include "manifest/spec.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::jobs {

// ---- scaling strategies: how many of the requested Jobs may be created now

// Parses customScalingRunningJobPercentage, which is a fraction despite its name, as Go's ParseFloat does; outside the strict
// profile it must be finite. "0.5" → 0.5; "50%", "", " 0.5", "1e400" → nothing.
std::optional<double> running_fraction(std::string_view text, manifest::profile profile);

struct strategy_input {
    std::int64_t max_scale = 0;
    std::int64_t running = 0;  // unfinished jobs above the minimum
    std::int64_t pending = 0;
    std::int64_t headroom = 0;
    std::int64_t scale_to = 0;
};

struct strategy_answer {
    std::string_view used;       // default, custom, accurate, eager
    std::int64_t effective = 0;  // may be below 0
    std::int64_t scale_to = 0;
};

// Applies the strategy; m max_scale, r running, p pending, H headroom:
//   default   m − r
//   custom    min(m − deduction − trunc(r × fraction), H); as default if the fraction cannot be parsed
//   accurate  m + r − p > H ? H − r : m − p
//   eager     min(H − r − p, m), and one poll may create H
// Examples: accurate, m 20, r 15, p 10, H 20 → 5; eager, m 15, r 0, p 0, H 10 → 10.
strategy_answer answer_of(const manifest::scaling_strategy& strategy, const strategy_input& input,
                          manifest::profile profile);

// ---- conditions and events of the reconciler, with KEDA's texts: controllers/keda/scaledjob_controller.go

inline constexpr std::string_view paused_message = "ScaledJob is paused, skipping reconcile loop";  // of Ready

// Returns the condition Paused if it changes; the event has the same reason and message.
std::optional<verdict> pause_change(bool is_paused, bool was_paused);

verdict ready_verdict(std::string message);
event ready_event();

// The conditions Ready and Active, and the event, if something prevents scaling.
verdict failed_verdict(std::string why);
verdict unknown_activity();
event failed_event(std::string why);

// ---- one poll

// The observed jobs.
struct observation {
    counts seen;
    std::int64_t unseen = 0;     // created, but not in the list yet
    bool is_unreadable = false;  // the list of jobs failed
    std::optional<bool> was_active;
};

struct decision {
    std::int64_t min = 0, headroom = 0, cap = 0;
    std::string_view strategy;   // the strategy that decided; "minimum" if the minimum decided
    std::int64_t effective = 0;  // at least 0
    std::int64_t create = 0;
    bool is_held = false;  // the number of running Jobs is unknown, so nothing is created or deleted
    bool is_active = false;
    verdict ready;
    verdict active;
};

// Decides one poll.  The strict profile treats an unreadable list as empty and ignores Jobs that are not in the list yet.
// Otherwise an unreadable list blocks the decision, Jobs not in the list yet count as unfinished and pending, and no strategy
// exceeds the cap.
decision decide(const manifest::scaled_job& job, const observation& seen, const total& asked);

// Returns the condition Ready after the creations.  From KEDA 2.21 on a failed creation sets it to False with the texts of
// all failures, regardless of the triggers.
verdict ready_after(const manifest::scaled_job& job, const decision& decision,
                    const std::vector<std::string>& refusals);

// Returns the events of that poll after the creations; `refusals`: the texts of failed creations.
std::vector<event> events_of(const manifest::scaled_job& job, const decision& decision, const observation& seen,
                             const std::vector<std::string>& refusals);

// Selects Jobs to delete: finished ones beyond the history limits, and those of an older generation. kedacore/keda
// pkg/scaling/executor/scale_jobs.go (cleanUp), controllers/keda/scaledjob_controller.go.  Pure: the caller's `erase`
// deletes.

struct deletion {
    enum class result { done, not_found, failed } how = result::done;
    std::string error;  // the server's message, if it failed
};
using erase_job = std::function<deletion(const job& job)>;

// Runs at each poll.  Deletes complete Jobs first, then failed ones, each the oldest first.  Returns false if a deletion
// failed.  Strict profile, as in KEDA: the first failure (also "not found") ends the cleaning; failed Jobs keep list order,
// because they have no completion time; Jobs being deleted count.  Standard profile: every deletion is tried, "not found" is
// a success, and Jobs are sorted by the time of their condition, then by creation time.
bool clean_history(const manifest::scaled_job& job, const std::vector<jobs::job>& jobs, const erase_job& erase);

struct rollout_result {
    std::vector<event> events;
    std::string error;  // "": success
};

// Runs when the spec has changed.  Selects Jobs of another generation than the ScaledJob's, finished or not, unless the
// rollout is gradual.
rollout_result roll_out(const manifest::scaled_job& job, const std::vector<jobs::job>& jobs, const erase_job& erase);

std::string_view propagation_of(const manifest::job_rollout& rollout);  // Foreground, Background

}  // namespace gputide::jobs
