// What becomes of a poll: Jobs of an old generation go, new ones come, finished ones beyond the history's limits go.  One request
// after the other, and the Lease is looked at before each.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "jobs/cleaning.hpp"
#include "runtime/cluster/attached.hpp"
#include "runtime/cluster/jobs/attached_jobs.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::int64_t refusal_patience_ms = 60'000;  // after a refusal that lasts until somebody changes something
constexpr std::int64_t burst = 30, pause_ms = 50;     // as KEDA's client: 30 at once, then 20 a second
constexpr std::int64_t after_rollout_ms = 1'000;      // until the watch has brought that they are gone

// A denial has its own in the message.
const char* remedy_of(creation_result result) {
    return result == creation_result::refused ? "; correct spec.jobTargetRef" : "";
}

bool is_for_good(creation_result result) {
    return result == creation_result::refused || result == creation_result::denied;
}

}  // namespace

cluster::write_guard attached_jobs::guard(const key& one) const {
    cluster::write_guard out;
    out.may_write = [self = weak_from_this(), one] {
        const auto here = self.lock();
        if (!here || here->is_ending_) return false;
        const auto at = here->entries_.find(one);
        if (at == here->entries_.end()) return false;
        const hindrance held_by = at->second.held_by;
        return held_by != hindrance::not_owner && held_by != hindrance::contested && here->with_.leads->may_write(one);
    };
    out.write_ms = with_.leads->write_ms();
    return out;
}

// Of an older generation: one that is newer than what the watch of ScaledJobs has brought is not old.
void attached_jobs::roll_out(const key& one, entry& its) {
    const config::scaled_job& job = its.at_work->job;
    if (its.rolled_generation == job.generation) return begin_creating(one, its);
    std::vector<jobs::job> known = jobs_of(one, its);
    std::erase_if(known, [&](const jobs::job& each) {
        const auto generation = each.generation ? parse_int64(*each.generation) : std::nullopt;
        return generation && *generation > job.generation;
    });
    its.doing->is_rollout = true;
    its.doing->propagation = jobs::propagation_of(job.rollout);
    static_cast<void>(jobs::roll_out(job, known, [&](const jobs::job& each) {
        doom(one, its, each);
        return jobs::deletion{};
    }));
    if (its.doing->doomed.empty()) {
        its.rolled_generation = job.generation;
        return begin_creating(one, its);
    }
    std::reverse(its.doing->doomed.begin(), its.doing->doomed.end());
    announce(one, false, "ScaledJobRolloutCleanupStarted",
             format_text("Deleting {} jobs owned by the previous version of the scaledJob", its.doing->doomed.size()));
    delete_next(one, its);
}

void attached_jobs::begin_creating(const key& one, entry& its) {
    its.doing->is_rollout = false;
    if (its.doing->left == 0) forgive(one, its);
    if (with_.loop->steady_ms() < its.not_before_ms) its.doing->left = 0;
    create_next(one, its);
}

// What the server refused is wanted no more, or was taken.
void attached_jobs::forgive(const key& one, entry& its) {
    if (its.held_by == hindrance::refused && std::exchange(its.is_servers, false)) hold(one, its, hindrance::none, {});
}

void attached_jobs::create_next(const key& one, entry& its) {
    poll_batch& doing = *its.doing;
    if (doing.left == 0) return end_creating(one, its);
    const std::int64_t ordinal = its.last_ordinal + 1;
    result<std::string> body = job_body(its.at_work->job, its.at_work->job_target, ordinal);
    if (!body) {
        doing.left = 0;
        hold(one, its, hindrance::refused, body.failure().message);
        return end_creating(one, its);
    }
    ++doing.sent;
    its.under_way = create_job(with_.api, its.at_work->job, *std::move(body), ordinal, guard(one),
                               [self = weak_from_this(), one, ordinal](const creation& creation) {
                                   if (const auto here = self.lock()) here->created(one, ordinal, creation);
                               });
}

// A number whose Job is there is used up; one that nobody knows of is tried again at the next poll, and found where it is there.
void attached_jobs::created(const key& one, std::int64_t ordinal, const creation& creation) {
    ++counts_.creations[static_cast<std::size_t>(creation.result)];
    entry* found = find(one);
    if (found == nullptr || !found->doing) return;
    entry& its = *found;
    poll_batch& doing = *its.doing;
    const bool is_there = creation.result == creation_result::created || creation.result == creation_result::existing;
    if (is_there || creation.result == creation_result::taken) its.last_ordinal = std::max(its.last_ordinal, ordinal);
    if (is_there) {
        --doing.left;
        ++(creation.result == creation_result::created ? doing.created : doing.existing);
        const key job{one.name_space, job_name(its.at_work->job, ordinal)};
        if (!creation.is_over && jobs_->find(job) == nullptr) its.unseen[job] = with_.loop->steady_ms();
        its.denials = 0;
        its.not_before_ms = 0;
        forgive(one, its);
    } else if (creation.result != creation_result::taken) {
        doing.left = 0;
        if (creation.result != creation_result::no_lead) doing.refusals.push_back(creation.why.message);
        its.denials = creation.result == creation_result::denied ? its.denials + 1 : 0;
        std::int64_t wait_ms = creation.why.retry_after_ms;
        if (creation.result == creation_result::refused) wait_ms = refusal_patience_ms;
        if (creation.result == creation_result::denied) wait_ms = cluster::missing_patience_ms(its.denials);
        its.not_before_ms = wait_ms > 0 ? with_.loop->steady_ms() + wait_ms : 0;
        its.is_servers = is_for_good(creation.result);
        if (its.is_servers) hold(one, its, hindrance::refused, creation.why.message + remedy_of(creation.result));
    }
    if (doing.sent < burst) return create_next(one, its);
    its.under_way = nullptr;
    with_.loop->cancel(its.timer);
    its.timer = with_.loop->after(pause_ms, [self = weak_from_this(), one] {
        const auto here = self.lock();
        entry* goes_on = here && !here->is_ending_ ? here->find(one) : nullptr;
        if (goes_on != nullptr && goes_on->doing) here->create_next(one, *goes_on);
    });
}

void attached_jobs::end_creating(const key& one, entry& its) {
    const poll_batch& doing = *its.doing;
    if (doing.sent > 0) note_creation(one, doing);
    jobs::decision carried_out = doing.decision;
    carried_out.create = doing.created + static_cast<std::int64_t>(doing.refusals.size());
    announce(one, jobs::events_of(its.at_work->job, carried_out, doing.seen, doing.refusals));
    clean(one, its);
}

void attached_jobs::clean(const key& one, entry& its) {
    its.doing->propagation = "Background";
    static_cast<void>(jobs::clean_history(its.at_work->job, jobs_of(one, its), [&](const jobs::job& each) {
        doom(one, its, each);
        return jobs::deletion{};
    }));
    std::reverse(its.doing->doomed.begin(), its.doing->doomed.end());
    delete_next(one, its);
}

void attached_jobs::doom(const key& one, entry& its, const jobs::job& job) {
    const key at{one.name_space, job.name};
    const seen_job* seen = jobs_->find(at);
    if (seen != nullptr && its.deleted.count(seen->uid) == 0) its.doing->doomed.emplace_back(at, seen->uid);
}

// In KEDA the first that fails ends it.
void attached_jobs::delete_next(const key& one, entry& its) {
    poll_batch& doing = *its.doing;
    if (doing.doomed.empty()) return end_deleting(one, its);
    const auto [job, uid] = doing.doomed.back();
    doing.doomed.pop_back();
    its.under_way = delete_job(with_.api, job, uid, doing.propagation, guard(one),
                               [self = weak_from_this(), one, name = job.name, uid = uid](const deleted_job& gone) {
                                   if (const auto here = self.lock()) here->deleted(one, name, uid, gone);
                               });
}

void attached_jobs::deleted(const key& one, const std::string& name, const std::string& uid, const deleted_job& gone) {
    entry* found = find(one);
    if (found == nullptr || !found->doing) return;
    entry& its = *found;
    using how = jobs::deletion::result;
    const bool is_done = gone.result == deletion_result::deleted;
    const bool is_missing = gone.result == deletion_result::missing;
    if (is_done || is_missing) its.deleted.insert(uid);
    ++(is_done || is_missing ? counts_.deletions : counts_.deletion_failures);
    its.doing->deletions[name] = {is_done ? how::done : is_missing ? how::not_found : how::failed, gone.why.message};
    const bool ends =
        gone.result == deletion_result::no_lead || (!is_done && its.at_work->job.profile == config::profile::strict);
    if (ends) its.doing->doomed.clear();
    delete_next(one, its);
}

void attached_jobs::end_deleting(const key& one, entry& its) {
    poll_batch& doing = *its.doing;
    std::int64_t deleted = 0;
    std::string message;
    for (const auto& [name, deletion] : doing.deletions) {
        if (deletion.how != jobs::deletion::result::failed) {
            ++deleted;
            continue;
        }
        message = format_text("Failed to delete job {}: {}", name, deletion.error);
        if (doing.is_rollout) announce(one, true, "ScaledJobRolloutCleanupFailed", message);
    }
    if (!doing.deletions.empty()) note_deletion(one, doing, deleted, message);
    // A uid that no watch shows any more is nobody's.
    if (its.deleted.size() > jobs_by_owner_.members(one).size() + 1'000) its.deleted.clear();
    if (!doing.is_rollout) return finish(one, its);
    if (message.empty()) {
        its.rolled_generation = its.at_work->job.generation;
        announce(one, false, "ScaledJobRolloutCleanupCompleted",
                 format_text("Deleted {} jobs owned by the previous version of the scaledJob", deleted));
    }
    its.next_poll_ms = with_.loop->steady_ms() + after_rollout_ms;
    finish(one, its);
}

}  // namespace gputide::runtime
