#include "jobs/decide.hpp"

#include "base/format_text.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

namespace gputide::jobs {

namespace {

verdict ready_of(const total& asked, manifest::profile profile) {
    if (!asked.has_error) {
        return ready_verdict("ScaledJob is defined correctly and is ready for scaling");
    }
    // With a minimum, asked.is_active is true even if no trigger could be read; KEDA reports a partial error then.
    const bool is_silent = asked.answered == 0 && profile == manifest::profile::standard;
    if (asked.is_active && !is_silent) {
        return {"Unknown", "PartialTriggerError", "Some triggers defined in ScaledJob are not working correctly"};
    }
    return {"False", "TriggerError", "Triggers defined in ScaledJob are not working correctly"};
}

verdict active_of(bool is_active) {
    if (is_active) return {"True", "ScalerActive", "Scaling is performed because triggers are active"};
    return {"False", "ScalerNotActive", "Scaling is not performed because triggers are not active"};
}

constexpr std::string_view create_failed_reason = "KEDAJobCreateFailed";

bool tells_refusals(const manifest::scaled_job& job) {
    return manifest::holds(manifest::version_rule::refused_jobs_are_told, job.versions);
}

// Returns the refusals of this poll, at most the requested number of Jobs.
std::span<const std::string> refused_of(const decision& decision, const std::vector<std::string>& refusals) {
    return std::span(refusals).first(std::min(refusals.size(), static_cast<std::size_t>(decision.create)));
}

}  // namespace

decision decide(const manifest::scaled_job& job, const observation& seen, const total& asked) {
    const bool is_strict = job.profile == manifest::profile::strict;
    const bounds limits = bounds_of(job);
    decision out{limits.min, limits.headroom, limits.cap, {}, 0, 0, false, asked.is_active, {}, {}};
    out.ready = ready_of(asked, job.profile);
    out.active = active_of(asked.is_active);
    out.is_held = seen.is_unreadable && !is_strict;
    if (out.is_held) return out;

    counts there = seen.is_unreadable ? counts{} : seen.seen;
    if (!is_strict) {
        there.running += seen.unseen;
        there.pending += seen.unseen;
    }
    strategy_answer answer{"minimum", limits.min - there.running, limits.min - there.running};
    if (there.running >= limits.min) {
        answer = answer_of(
            job.strategy, {asked.max_scale, there.running - limits.min, there.pending, limits.headroom, asked.scale_to},
            job.profile);
    }
    out.strategy = answer.used;
    out.effective = std::max<std::int64_t>(0, answer.effective);
    if (!is_strict) out.effective = std::clamp<std::int64_t>(limits.cap - there.running, 0, out.effective);
    if (asked.is_active) out.create = std::max<std::int64_t>(0, std::min(answer.scale_to, out.effective));
    return out;
}

verdict ready_after(const manifest::scaled_job& job, const decision& decision,
                    const std::vector<std::string>& refusals) {
    const std::span<const std::string> refused = refused_of(decision, refusals);
    if (refused.empty() || !tells_refusals(job)) return decision.ready;
    verdict out{"False", create_failed_reason, {}};
    for (const std::string& text : refused) {
        if (!out.message.empty()) out.message += '\n';
        out.message += text;
    }
    return out;
}

std::vector<event> events_of(const manifest::scaled_job& job, const decision& decision, const observation& seen,
                             const std::vector<std::string>& refusals) {
    std::vector<event> out;
    const std::span<const std::string> refused = refused_of(decision, refusals);
    for (const std::string& text : refused) {
        out.push_back({true, create_failed_reason, format_text("Failed to create job {}-: {}", job.name, text)});
    }
    // KEDA 2.20 reports the requested number, even 0, and includes refused Jobs.
    const bool counts_asked = job.profile == manifest::profile::strict && !tells_refusals(job);
    const std::int64_t created = decision.create - (counts_asked ? 0 : static_cast<std::int64_t>(refused.size()));
    const bool tells = counts_asked ? decision.is_active && decision.effective > 0 : created > 0;
    if (tells) out.push_back({false, "KEDAJobsCreated", format_text("Created {} jobs", created)});
    if (seen.was_active && *seen.was_active != decision.is_active) {
        out.push_back({false, decision.is_active ? "ScaledJobActive" : "ScaledJobInactive", decision.active.message});
    }
    return out;
}

namespace {

// Truncates toward 0.  A value beyond int64 gives no demand: KEDA's result is undefined there.
std::optional<std::int64_t> truncated(double value) {
    constexpr double max_value = 9.0e18;
    if (!(std::fabs(value) < max_value)) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

strategy_answer custom(const manifest::scaling_strategy& strategy, const strategy_input& input, double fraction) {
    strategy_answer out{"custom", 0, input.scale_to};
    const auto deducted = truncated(static_cast<double>(input.running) * fraction);
    if (!deducted) return out;
    const double wanted =
        static_cast<double>(input.max_scale) - strategy.queue_length_deduction - static_cast<double>(*deducted);
    out.effective = truncated(std::min(wanted, static_cast<double>(input.headroom))).value_or(0);
    return out;
}

}  // namespace

std::optional<double> running_fraction(std::string_view text, manifest::profile profile) {
    constexpr bool with_digit_separators = true;
    const auto out = parse_go_float(text, with_digit_separators);
    if (out && profile == manifest::profile::standard && !std::isfinite(*out)) return std::nullopt;
    return out;
}

strategy_answer answer_of(const manifest::scaling_strategy& strategy, const strategy_input& input,
                          manifest::profile profile) {
    const auto& [wanted, running, pending, headroom, scale_to] = input;
    if (strategy.name == "custom") {
        const auto fraction = running_fraction(strategy.running_job_fraction, profile);
        if (fraction) return custom(strategy, input, *fraction);
    }
    if (strategy.name == "accurate") {
        const bool is_full = wanted + running - pending > headroom;
        return {"accurate", is_full ? headroom - running : wanted - pending, scale_to};
    }
    if (strategy.name == "eager") return {"eager", std::min(headroom - running - pending, wanted), headroom};
    return {"default", wanted - running, scale_to};
}

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
// the order is not total.
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
    sort_stably(jobs, [&](const job* a, const job* b) { return key(a) < key(b); });
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
