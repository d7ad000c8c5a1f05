// Carries out a poll: deletes Jobs of an old generation, creates Jobs, then deletes finished Jobs beyond the history limits.
// Sends one request after another, and checks leadership before each.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "jobs/decide.hpp"
#include "kubernetes/controller/job_scaler.hpp"

#include <algorithm>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t max_jobs_at_once = 30, burst_pause_ms = 50;  // as KEDA's client: 30 at once, then 20 per second
constexpr std::int64_t pause_lost_after_ms = 5'000;                 // a longer pause was lost
constexpr std::int64_t after_rollout_ms = 1'000;                    // until the watch has reported the deletions

// Returns a remedy for the message.  The message of a denial already has one.
const char* remedy_of(creation_result result) {
    return result == creation_result::refused ? "; correct spec.jobTargetRef" : "";
}

bool is_final(creation_result result) {
    return result == creation_result::refused || result == creation_result::denied;
}

}  // namespace

// Deletes Jobs of an older generation.  Jobs can be newer than the watched ScaledJob; those are not deleted.
void job_scaler::roll_out() {
    const manifest::scaled_job& job = at_work_->job;
    if (rolled_generation_ == job.generation) return begin_creating();
    std::vector<jobs::job> known = known_jobs();
    std::erase_if(known, [&](const jobs::job& each) {
        const auto generation = each.generation ? parse_int64(*each.generation) : std::nullopt;
        return generation && *generation > job.generation;
    });
    batch_->is_rollout = true;
    batch_->propagation = jobs::propagation_of(job.rollout);
    static_cast<void>(jobs::roll_out(job, known, [&](const jobs::job& each) {
        doom(each);
        return jobs::deletion{};
    }));
    if (batch_->doomed.empty()) {
        rolled_generation_ = job.generation;
        return begin_creating();
    }
    std::reverse(batch_->doomed.begin(), batch_->doomed.end());
    announce(false, "ScaledJobRolloutCleanupStarted",
             format_text("Deleting {} jobs owned by the previous version of the scaledJob", batch_->doomed.size()));
    delete_next();
}

void job_scaler::begin_creating() {
    batch_->is_rollout = false;
    if (batch_->left == 0) end_refusal();
    if (with().now_ms() < not_before_ms_) batch_->left = 0;
    create_next();
}

// Ends the block after a refusal by the server, because the Job is not wanted any more or was accepted.
void job_scaler::end_refusal() {
    if (block_.problem() == block_reason::refused && std::exchange(is_refused_by_server_, false))
        set_problem(block_reason::none, {});
}

void job_scaler::create_next() {
    if (batch_->left == 0) return end_creating();
    const std::int64_t ordinal = last_ordinal_ + 1;
    result<std::string> body = job_body(at_work_->job, at_work_->job_target, ordinal);
    if (!body) {
        batch_->left = 0;
        set_problem(block_reason::refused, body.failure().message);
        return end_creating();
    }
    ++batch_->sent;
    poll_.begin(create_job(with().api, at_work_->job, *std::move(body), ordinal, guard(),
                           while_alive(*this, [ordinal](job_scaler& here, const creation& creation) {
                               here.created(ordinal, creation);
                           })));
}

// Handles the result of a creation.  An existing Job has used the ordinal; if the result is unknown, the next poll tries the same
// ordinal.
void job_scaler::created(std::int64_t ordinal, const creation& creation) {
    ++rules_.counted.creations[static_cast<std::size_t>(creation.result)];
    if (is_stopped_ || !batch_) return;
    const bool is_there = creation.result == creation_result::created || creation.result == creation_result::existing;
    const bool is_taken = creation.result == creation_result::taken;
    if (is_there || is_taken) last_ordinal_ = std::max(last_ordinal_, ordinal);
    if (is_there) {
        --batch_->left;
        ++(creation.result == creation_result::created ? batch_->created : batch_->existing);
        const object_key job{name_.name_space, job_name(at_work_->job, ordinal)};
        if (!creation.is_over && rules_.seen_jobs().find(job) == nullptr) unseen_[job] = with().now_ms();
        denials_ = 0;
        not_before_ms_ = 0;
        end_refusal();
    } else if (!is_taken) {
        creation_failed(creation);
    }
    if (batch_->sent < max_jobs_at_once) return create_next();
    poll_.begin_until(nullptr, with().now_ms() + pause_lost_after_ms);
    with().loop->cancel(std::exchange(timer_, 0));
    timer_ = with().loop->after(burst_pause_ms, while_alive(*this, [](job_scaler& here) {
                                    here.timer_ = 0;
                                    if (!here.is_stopped_ && here.batch_) here.create_next();
                                }));
}

void job_scaler::creation_failed(const creation& creation) {
    batch_->left = 0;
    if (creation.result != creation_result::no_lead) batch_->refusals.push_back(creation.why.message);
    denials_ = creation.result == creation_result::denied ? denials_ + 1 : 0;
    std::int64_t wait_ms = requested_delay_ms(creation.why);
    if (creation.result == creation_result::refused) wait_ms = max_retry_delay_ms;
    if (creation.result == creation_result::denied) wait_ms = retry_delay_ms(denials_);
    not_before_ms_ = wait_ms > 0 ? with().now_ms() + wait_ms : 0;
    is_refused_by_server_ = is_final(creation.result);
    if (is_refused_by_server_) set_problem(block_reason::refused, creation.why.message + remedy_of(creation.result));
}

void job_scaler::end_creating() {
    if (batch_->sent > 0) note_creation();
    jobs::decision carried_out = batch_->decision;
    carried_out.create = batch_->created + static_cast<std::int64_t>(batch_->refusals.size());
    conditions_.front() = condition_of("Ready", jobs::ready_after(at_work_->job, carried_out, batch_->refusals));
    announce_each(jobs::events_of(at_work_->job, carried_out, batch_->seen, batch_->refusals));
    batch_->propagation = "Background";
    static_cast<void>(jobs::clean_history(at_work_->job, known_jobs(), [&](const jobs::job& each) {
        doom(each);
        return jobs::deletion{};
    }));
    std::reverse(batch_->doomed.begin(), batch_->doomed.end());
    delete_next();
}

void job_scaler::doom(const jobs::job& job) {
    const object_key key{name_.name_space, job.name};
    const seen_job* seen = rules_.seen_jobs().find(key);
    if (seen != nullptr && deleted_.count(seen->uid) == 0) batch_->doomed.emplace_back(key, seen->uid);
}

// Deletes the next Job.  In the strict profile, as in KEDA, the first failure ends the deletions (see deleted()).
void job_scaler::delete_next() {
    if (batch_->doomed.empty()) return end_deleting();
    const auto [job, uid] = batch_->doomed.back();
    batch_->doomed.pop_back();
    poll_.begin(delete_job(with().api, job, uid, batch_->propagation, guard(),
                           while_alive(*this, [job = job.name, uid = uid](job_scaler& here, const deleted_job& gone) {
                               here.deleted(job, uid, gone);
                           })));
}

void job_scaler::deleted(const std::string& job, const std::string& uid, const deleted_job& gone) {
    if (is_stopped_ || !batch_) return;
    using how = jobs::deletion::result;
    const bool is_done = gone.result == deletion_result::deleted;
    const bool is_missing = gone.result == deletion_result::missing;
    if (is_done || is_missing) deleted_.insert(uid);
    ++(is_done || is_missing ? rules_.counted.deletions : rules_.counted.deletion_failures);
    batch_->deletions[job] = {is_done ? how::done : is_missing ? how::not_found : how::failed, gone.why.message};
    const bool ends =
        gone.result == deletion_result::no_lead || (!is_done && at_work_->job.profile == manifest::profile::strict);
    if (ends) batch_->doomed.clear();
    delete_next();
}

void job_scaler::end_deleting() {
    std::int64_t deleted = 0;
    std::string message;
    for (const auto& [job, deletion] : batch_->deletions) {
        if (deletion.how != jobs::deletion::result::failed) {
            ++deleted;
            continue;
        }
        message = format_text("Failed to delete job {}: {}", job, deletion.error);
        if (batch_->is_rollout) announce(true, "ScaledJobRolloutCleanupFailed", message);
    }
    if (!batch_->deletions.empty()) note_deletion(deleted, message);
    // The watch does not report most of these uids any more.
    if (deleted_.size() > rules_.jobs_of(name_).size() + 1'000) deleted_.clear();
    if (!batch_->is_rollout) return finish();
    if (message.empty()) {
        rolled_generation_ = at_work_->job.generation;
        announce(false, "ScaledJobRolloutCleanupCompleted",
                 format_text("Deleted {} jobs owned by the previous version of the scaledJob", deleted));
    }
    next_poll_ms_ = with().now_ms() + after_rollout_ms;
    finish();
}

// ---- events and notes

void job_scaler::announce_each(const std::vector<jobs::event>& events) const {
    for (const jobs::event& each : events) announce(each.is_warning, each.reason, each.message);
}

void job_scaler::note_creation() const {
    json_writer out = begin_note("jobs_created");
    out.member("wanted", batch_->decision.create).member("created", batch_->created);
    out.member("existing", batch_->existing);
    out.member("running", batch_->seen.seen.running).member("pending", batch_->seen.seen.pending);
    out.member("message", batch_->refusals.empty() ? std::string() : batch_->refusals.back());
    note(out);
}

void job_scaler::note_deletion(std::int64_t deleted, const std::string& message) const {
    json_writer out = begin_note("jobs_deleted");
    out.member("reason", batch_->is_rollout ? "rollout" : "history").member("wanted", batch_->deletions.size());
    out.member("deleted", deleted).member("message", message);
    note(out);
}

// Notes the number of Jobs that shadow mode would create, when it changes.
void job_scaler::note_wanted(std::int64_t wanted) {
    if (std::exchange(last_wanted_, wanted) == wanted) return;
    json_writer out = begin_note("jobs_wanted");
    out.member("wanted", wanted).member("running", batch_->seen.seen.running);
    out.member("pending", batch_->seen.seen.pending);
    note(out);
}

}  // namespace gputide::kubernetes
