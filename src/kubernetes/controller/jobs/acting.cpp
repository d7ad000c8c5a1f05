// What becomes of a poll: Jobs of an old generation go, new ones come, finished ones beyond the history's limits go.  One request
// after the other, and the Lease is looked at before each.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "jobs/cleaning.hpp"
#include "kubernetes/controller/attached.hpp"
#include "kubernetes/controller/jobs/attached_jobs.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t max_jobs_at_once = 30, burst_pause_ms = 50;  // as KEDA's client: 30 at once, then 20 a second
constexpr std::int64_t pause_lost_after_ms = 5'000;                 // a pause has ended by then
constexpr std::int64_t after_rollout_ms = 1'000;                    // until the watch has brought that they are gone

// A denial has its own in the message.
const char* remedy_of(creation_result result) {
    return result == creation_result::refused ? "; correct spec.jobTargetRef" : "";
}

bool is_for_good(creation_result result) {
    return result == creation_result::refused || result == creation_result::denied;
}

}  // namespace

write_guard attached_jobs::guard(const key& name) const {
    write_guard out;
    out.may_write = [self = weak_from_this(), name] {
        const auto here = self.lock();
        if (!here || here->is_ending_) return false;
        const auto at = here->entries_.find(name);
        if (at == here->entries_.end()) return false;
        return !at->second.held.is_anothers() && here->with_.leads->may_write(name);
    };
    out.write_ms = with_.leads->write_ms();
    return out;
}

// Of an older generation: one that is newer than what the watch of ScaledJobs has brought is not old.
void attached_jobs::roll_out(const key& name, entry& scaler) {
    const config::scaled_job& job = scaler.at_work->job;
    if (scaler.rolled_generation == job.generation) return begin_creating(name, scaler);
    std::vector<jobs::job> known = jobs_of(name, scaler);
    std::erase_if(known, [&](const jobs::job& each) {
        const auto generation = each.generation ? parse_int64(*each.generation) : std::nullopt;
        return generation && *generation > job.generation;
    });
    scaler.doing->is_rollout = true;
    scaler.doing->propagation = jobs::propagation_of(job.rollout);
    static_cast<void>(jobs::roll_out(job, known, [&](const jobs::job& each) {
        doom(name, scaler, each);
        return jobs::deletion{};
    }));
    if (scaler.doing->doomed.empty()) {
        scaler.rolled_generation = job.generation;
        return begin_creating(name, scaler);
    }
    std::reverse(scaler.doing->doomed.begin(), scaler.doing->doomed.end());
    announce(
        name, false, "ScaledJobRolloutCleanupStarted",
        format_text("Deleting {} jobs owned by the previous version of the scaledJob", scaler.doing->doomed.size()));
    delete_next(name, scaler);
}

void attached_jobs::begin_creating(const key& name, entry& scaler) {
    scaler.doing->is_rollout = false;
    if (scaler.doing->left == 0) forgive(name, scaler);
    if (with_.loop->steady_ms() < scaler.not_before_ms) scaler.doing->left = 0;
    create_next(name, scaler);
}

// What the server refused is wanted no more, or was taken.
void attached_jobs::forgive(const key& name, entry& scaler) {
    if (scaler.held.trouble() == hindrance::refused && std::exchange(scaler.is_servers, false))
        hold(name, scaler, hindrance::none, {});
}

void attached_jobs::create_next(const key& name, entry& scaler) {
    poll_batch& doing = *scaler.doing;
    if (doing.left == 0) return end_creating(name, scaler);
    const std::int64_t ordinal = scaler.last_ordinal + 1;
    result<std::string> body = job_body(scaler.at_work->job, scaler.at_work->job_target, ordinal);
    if (!body) {
        doing.left = 0;
        hold(name, scaler, hindrance::refused, body.failure().message);
        return end_creating(name, scaler);
    }
    ++doing.sent;
    scaler.poll.begin(create_job(with_.api, scaler.at_work->job, *std::move(body), ordinal, guard(name),
                                 [self = weak_from_this(), name, ordinal](const creation& creation) {
                                     if (const auto here = self.lock()) here->created(name, ordinal, creation);
                                 }));
}

// A number whose Job is there is used up; one that nobody knows of is tried again at the next poll, and found where it is there.
void attached_jobs::created(const key& name, std::int64_t ordinal, const creation& creation) {
    ++counts_.creations[static_cast<std::size_t>(creation.result)];
    entry* found = find(name);
    if (found == nullptr || !found->doing) return;
    entry& scaler = *found;
    poll_batch& doing = *scaler.doing;
    const bool is_there = creation.result == creation_result::created || creation.result == creation_result::existing;
    if (is_there || creation.result == creation_result::taken)
        scaler.last_ordinal = std::max(scaler.last_ordinal, ordinal);
    if (is_there) {
        --doing.left;
        ++(creation.result == creation_result::created ? doing.created : doing.existing);
        const key job{name.name_space, job_name(scaler.at_work->job, ordinal)};
        if (!creation.is_over && jobs_->find(job) == nullptr) scaler.unseen[job] = with_.loop->steady_ms();
        scaler.denials = 0;
        scaler.not_before_ms = 0;
        forgive(name, scaler);
    } else if (creation.result != creation_result::taken) {
        doing.left = 0;
        if (creation.result != creation_result::no_lead) doing.refusals.push_back(creation.why.message);
        scaler.denials = creation.result == creation_result::denied ? scaler.denials + 1 : 0;
        std::int64_t wait_ms = asked_patience_ms(creation.why);
        if (creation.result == creation_result::refused) wait_ms = longest_patience_ms;
        if (creation.result == creation_result::denied) wait_ms = missing_patience_ms(scaler.denials);
        scaler.not_before_ms = wait_ms > 0 ? with_.loop->steady_ms() + wait_ms : 0;
        scaler.is_servers = is_for_good(creation.result);
        if (scaler.is_servers)
            hold(name, scaler, hindrance::refused, creation.why.message + remedy_of(creation.result));
    }
    if (doing.sent < max_jobs_at_once) return create_next(name, scaler);
    scaler.poll.begin_until(nullptr, with_.loop->steady_ms() + pause_lost_after_ms);
    with_.loop->cancel(std::exchange(scaler.timer, 0));
    scaler.timer = with_.loop->after(burst_pause_ms, [self = weak_from_this(), name] {
        const auto here = self.lock();
        entry* goes_on = here && !here->is_ending_ ? here->find(name) : nullptr;
        if (goes_on == nullptr) return;
        goes_on->timer = 0;
        if (goes_on->doing) here->create_next(name, *goes_on);
    });
}

void attached_jobs::end_creating(const key& name, entry& scaler) {
    const poll_batch& doing = *scaler.doing;
    if (doing.sent > 0) note_creation(name, doing);
    jobs::decision carried_out = doing.decision;
    carried_out.create = doing.created + static_cast<std::int64_t>(doing.refusals.size());
    scaler.conditions.front() = condition("Ready", jobs::ready_after(scaler.at_work->job, carried_out, doing.refusals));
    announce(name, jobs::events_of(scaler.at_work->job, carried_out, doing.seen, doing.refusals));
    clean(name, scaler);
}

void attached_jobs::clean(const key& name, entry& scaler) {
    scaler.doing->propagation = "Background";
    static_cast<void>(jobs::clean_history(scaler.at_work->job, jobs_of(name, scaler), [&](const jobs::job& each) {
        doom(name, scaler, each);
        return jobs::deletion{};
    }));
    std::reverse(scaler.doing->doomed.begin(), scaler.doing->doomed.end());
    delete_next(name, scaler);
}

void attached_jobs::doom(const key& name, entry& scaler, const jobs::job& job) {
    const key at{name.name_space, job.name};
    const seen_job* seen = jobs_->find(at);
    if (seen != nullptr && scaler.deleted.count(seen->uid) == 0) scaler.doing->doomed.emplace_back(at, seen->uid);
}

// In KEDA the first that fails ends it.
void attached_jobs::delete_next(const key& name, entry& scaler) {
    poll_batch& doing = *scaler.doing;
    if (doing.doomed.empty()) return end_deleting(name, scaler);
    const auto [job, uid] = doing.doomed.back();
    doing.doomed.pop_back();
    scaler.poll.begin(delete_job(with_.api, job, uid, doing.propagation, guard(name),
                                 [self = weak_from_this(), name, job = job.name, uid = uid](const deleted_job& gone) {
                                     if (const auto here = self.lock()) here->deleted(name, job, uid, gone);
                                 }));
}

void attached_jobs::deleted(const key& name, const std::string& job, const std::string& uid, const deleted_job& gone) {
    entry* found = find(name);
    if (found == nullptr || !found->doing) return;
    entry& scaler = *found;
    using how = jobs::deletion::result;
    const bool is_done = gone.result == deletion_result::deleted;
    const bool is_missing = gone.result == deletion_result::missing;
    if (is_done || is_missing) scaler.deleted.insert(uid);
    ++(is_done || is_missing ? counts_.deletions : counts_.deletion_failures);
    scaler.doing->deletions[job] = {is_done ? how::done : is_missing ? how::not_found : how::failed, gone.why.message};
    const bool ends =
        gone.result == deletion_result::no_lead || (!is_done && scaler.at_work->job.profile == config::profile::strict);
    if (ends) scaler.doing->doomed.clear();
    delete_next(name, scaler);
}

void attached_jobs::end_deleting(const key& name, entry& scaler) {
    poll_batch& doing = *scaler.doing;
    std::int64_t deleted = 0;
    std::string message;
    for (const auto& [job, deletion] : doing.deletions) {
        if (deletion.how != jobs::deletion::result::failed) {
            ++deleted;
            continue;
        }
        message = format_text("Failed to delete job {}: {}", job, deletion.error);
        if (doing.is_rollout) announce(name, true, "ScaledJobRolloutCleanupFailed", message);
    }
    if (!doing.deletions.empty()) note_deletion(name, doing, deleted, message);
    // A uid that no watch shows any more is nobody's.
    if (scaler.deleted.size() > jobs_by_owner_.members(name).size() + 1'000) scaler.deleted.clear();
    if (!doing.is_rollout) return finish(name, scaler);
    if (message.empty()) {
        scaler.rolled_generation = scaler.at_work->job.generation;
        announce(name, false, "ScaledJobRolloutCleanupCompleted",
                 format_text("Deleted {} jobs owned by the previous version of the scaledJob", deleted));
    }
    scaler.next_poll_ms = with_.loop->steady_ms() + after_rollout_ms;
    finish(name, scaler);
}

}  // namespace gputide::kubernetes
