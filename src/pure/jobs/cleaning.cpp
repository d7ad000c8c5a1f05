#include "jobs/cleaning.hpp"

#include "base/format_text.hpp"

#include <algorithm>
#include <tuple>

namespace gputide::jobs {
namespace {

using pointers = std::vector<const job*>;

pointers ended(const std::vector<job>& jobs, ending how, bool is_strict) {
    pointers out;
    for (const job& job : jobs) {
        if (finish_of(job).how == how && (is_strict || !job.is_deleting)) out.push_back(&job);
    }
    return out;
}

// Sorts as Go's sort does for few elements.  A job without a completion time is neither before nor after another job, so
// there is no total order.
void sort_as_keda(pointers& jobs) {
    const auto is_before = [](const job* a, const job* b) {
        return a->completed_ms && b->completed_ms && *a->completed_ms < *b->completed_ms;
    };
    for (std::size_t i = 1; i < jobs.size(); ++i) {
        for (std::size_t k = i; k > 0 && is_before(jobs[k], jobs[k - 1]); --k) std::swap(jobs[k], jobs[k - 1]);
    }
}

void sort_by_age(pointers& jobs) {
    const auto key = [](const job* job) {
        const std::int64_t created_ms = job->created_ms.value_or(0);
        const auto ended_ms = job->completed_ms ? job->completed_ms : finish_of(*job).at_ms;
        return std::tuple(ended_ms.value_or(created_ms), created_ms, job->name);
    };
    std::sort(jobs.begin(), jobs.end(), [&](const job* a, const job* b) { return key(a) < key(b); });
}

bool succeeded(const deletion& answer, bool is_strict) {
    return answer.how == deletion::result::done || (answer.how == deletion::result::not_found && !is_strict);
}

// Returns false if a deletion failed.
bool delete_oldest(pointers finished, std::int32_t limit, bool is_strict, const erase_job& erase) {
    is_strict ? sort_as_keda(finished) : sort_by_age(finished);
    const auto kept = static_cast<std::size_t>(std::max(limit, 0));
    bool all_well = true;
    for (std::size_t i = 0; i + kept < finished.size(); ++i) {
        if (succeeded(erase(*finished[i]), is_strict)) continue;
        all_well = false;
        if (is_strict) return false;
    }
    return all_well;
}

}  // namespace

bool clean_history(const manifest::scaled_job& job, const std::vector<jobs::job>& jobs, const erase_job& erase) {
    const bool is_strict = job.profile == manifest::profile::strict;
    const bool complete =
        delete_oldest(ended(jobs, ending::complete, is_strict), job.successful_limit, is_strict, erase);
    if (!complete && is_strict) return false;
    return delete_oldest(ended(jobs, ending::failed, is_strict), job.failed_limit, is_strict, erase) && complete;
}

rollout_result roll_out(const manifest::scaled_job& job, const std::vector<jobs::job>& jobs, const erase_job& erase) {
    rollout_result out;
    if (job.rollout.is_gradual) return out;
    const bool is_strict = job.profile == manifest::profile::strict;
    const std::string generation = std::to_string(job.generation);
    pointers old;
    for (const jobs::job& entry : jobs) {
        if (entry.generation != generation && (is_strict || !entry.is_deleting)) old.push_back(&entry);
    }
    if (old.empty()) return out;
    out.events.push_back({false, "ScaledJobRolloutCleanupStarted",
                          format_text("Deleting {} jobs owned by the previous version of the scaledJob", old.size())});
    for (const jobs::job* entry : old) {
        const deletion answer = erase(*entry);
        if (succeeded(answer, is_strict)) continue;
        out.events.push_back({true, "ScaledJobRolloutCleanupFailed",
                              format_text("Failed to delete job {}: {}", entry->name, answer.error)});
        if (out.error.empty()) out.error = "Not able to delete job: " + entry->name;
        if (is_strict) return out;
    }
    if (!out.error.empty()) return out;
    out.events.push_back({false, "ScaledJobRolloutCleanupCompleted",
                          format_text("Deleted {} jobs owned by the previous version of the scaledJob", old.size())});
    return out;
}

std::string_view propagation_of(const manifest::job_rollout& rollout) {
    return rollout.is_foreground ? "Foreground" : "Background";
}

}  // namespace gputide::jobs
