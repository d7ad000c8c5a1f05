#include "inside/scaledjob_controller.hpp"

#include "jobs/decide.hpp"
#include "jobs/job.hpp"

#include <iterator>
#include <utility>

namespace conformance::scaledjob_controller {

using namespace gputide::jobs;
namespace config = gputide::config;

namespace {

// In KEDA's words; "": it goes on.
std::string trigger_fault(const inspection& found) {
    if (!found.scalers_can_be_built) return "Failed to ensure ScaledJob is correctly created";
    if (found.has_metric_type) return "Cannot set metricType in ScaledJob triggers";
    return {};
}

std::string rollout_fault(const config::scaled_job& job, const std::vector<jobs::job>& jobs, const erase_job& erase,
                          std::vector<event>& events) {
    rollout_result done = roll_out(job, jobs, erase);
    std::move(done.events.begin(), done.events.end(), std::back_inserter(events));
    return std::move(done.error);
}

// Everything that may refuse it, in the order of the profile.
std::string fault_of(const config::scaled_job& job, const inspection& found, const std::vector<jobs::job>& jobs,
                     const erase_job& erase, std::vector<event>& events) {
    if (!found.triggers_are_sound) return "ScaledJob doesn't have correct triggers specification";
    if (job.profile == config::profile::strict) {
        std::string fault = rollout_fault(job, jobs, erase, events);
        return fault.empty() ? trigger_fault(found) : fault;
    }
    std::string fault = trigger_fault(found);
    return fault.empty() ? rollout_fault(job, jobs, erase, events) : fault;
}

// True: paused, and nothing else is done.
bool pause(const config::scaled_job& job, const inspection& found, reconciliation& out) {
    const bool paused = is_paused(job);
    out.paused = pause_change(paused, found.was_paused);
    if (!out.paused) return paused;
    if (paused) out.loop = poll_loop::stopped;
    out.events.push_back({false, out.paused->reason, out.paused->message});
    return paused;
}

void become_ready(const inspection& found, std::string message, reconciliation& out) {
    if (!found.was_ready) out.events.push_back(ready_event());
    out.ready = ready_verdict(std::move(message));
}

}  // namespace

reconciliation reconcile(const config::scaled_job& job, const inspection& found, const std::vector<jobs::job>& jobs,
                         const erase_job& erase) {
    reconciliation out;
    if (!found.has_job_target) {
        out.events.push_back(failed_event("ScaledJob.spec.jobTargetRef not found"));
        return out;
    }
    if (pause(job, found, out)) {
        become_ready(found, std::string(paused_message), out);
        return out;
    }
    const std::string fault = fault_of(job, found, jobs, erase, out.events);
    if (!fault.empty()) {
        out.events.push_back(failed_event(fault));
        out.ready = failed_verdict(fault);
        out.active = unknown_activity();
        return out;
    }
    out.loop = poll_loop::started;
    become_ready(found, "ScaledJob is defined correctly and is ready to scaling", out);
    return out;
}

}  // namespace conformance::scaledjob_controller
