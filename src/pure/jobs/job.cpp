#include "jobs/job.hpp"

#include <algorithm>
#include <set>

namespace gputide::jobs {
namespace {

bool has_true(const pod& pod, const std::string& type) {
    return std::any_of(pod.conditions.begin(), pod.conditions.end(),
                       [&](const condition& condition) { return condition.is_true && condition.type == type; });
}

// KEDA counts the pod's true conditions that are listed and compares with the list's length, so a repeated one can
// never be met.
bool meets(const pod& pod, const std::vector<std::string>& wanted, config::profile profile) {
    const std::set<std::string> types(wanted.begin(), wanted.end());
    if (profile == config::profile::strict && types.size() < wanted.size()) return false;
    return std::all_of(types.begin(), types.end(), [&](const std::string& type) { return has_true(pod, type); });
}

bool is_at_work(const pod& pod) { return pod.phase == "Running" || pod.phase == "Succeeded"; }

bool is_pending(const job& job, const std::vector<std::string>& wanted, config::profile profile) {
    if (job.pods_unreadable) return true;
    return std::none_of(job.pods.begin(), job.pods.end(),
                        [&](const pod& pod) { return wanted.empty() ? is_at_work(pod) : meets(pod, wanted, profile); });
}

}  // namespace

finish finish_of(const job& job) {
    for (const condition& at : job.conditions) {
        if (!at.is_true) continue;
        if (at.type == "Complete") return {ending::complete, at.since_ms};
        if (at.type == "Failed") return {ending::failed, at.since_ms};
    }
    return {};
}

counts count(const std::vector<job>& jobs, const config::scaling_strategy& strategy, config::profile profile) {
    counts out;
    for (const job& job : jobs) {
        if (finish_of(job).how != ending::none) continue;
        ++out.running;
        if (is_pending(job, strategy.pending_conditions, profile)) ++out.pending;
    }
    return out;
}

}  // namespace gputide::jobs
