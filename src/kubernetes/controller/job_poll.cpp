// Polls a ScaledJob and carries out the decision: deletes Jobs of an old generation, creates Jobs, then deletes finished Jobs beyond
// the history limits.  Sends one request after another, and checks leadership before each.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "jobs/decide.hpp"
#include "kubernetes/controller/job_scaler.hpp"
#include "pipeline/pipeline.hpp"

#include <algorithm>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t poll_timeout_ms = 15'000;
constexpr std::int64_t poll_lost_after_ms = 5'000;  // after the timeout
// A Job that a working watch has not shown by then does not exist any more.
constexpr std::int64_t unseen_for_ms = 300'000;
constexpr std::int64_t first_list_ms = 100;  // delay before checking for the first list again

// Tells whether the first list is in progress and has not failed yet.
bool is_first_list(const object_store& of, const std::string& name_space) {
    const watch_health* health = of.health(name_space);
    return health != nullptr && !health->is_known && health->why.status == status::ok;
}

}  // namespace

void job_scaler::poll_at_once() {
    if (at_work_ && !is_polling()) plan_poll(0);
}

void job_scaler::plan_poll(std::int64_t delay_ms) {
    with().loop->cancel(std::exchange(timer_, 0));
    timer_ = with().loop->after(delay_ms, while_alive(*this, [](job_scaler& here) {
                                    here.timer_ = 0;
                                    if (!here.is_stopped_) here.poll();
                                }));
}

// Polls, unless the scaler is not acted on.  A standby does not poll: it has no windows to fill, and its watch is up to date.
void job_scaler::poll() {
    if (!at_work_ || is_polling()) return;
    next_poll_ms_ = with().now_ms() + std::int64_t{at_work_->job.polling_interval_s} * 1'000;
    if (!with().acts_on(name_) || block_.has_other_owner() || is_paused()) {
        last_counts_.reset();
        return finish();
    }
    const std::string& space = name_.name_space;
    if (is_first_list(all_.seen_jobs(), space) || is_first_list(all_.pods(), space)) return plan_poll(first_list_ms);
    runtime::read_plan plan;
    plan.now_ms = with().loop->wall_ms();
    plan.deadline_ms = with().now_ms() + poll_timeout_ms;
    // If a step of the poll is lost, the poll ends at this time, and tick() plans the next one.
    poll_.begin_until(
        runtime::read_metrics(
            *with().loop, at_work_->sources, plan,
            while_alive(*this, [](job_scaler& here, const runtime::all_reads& reads) { here.reads_came(reads); })),
        plan.deadline_ms + poll_lost_after_ms);
    ++all_.changes.polls;
}

// Decides on the values.  If the manifest has changed since the request, the next poll uses the new manifest.
void job_scaler::reads_came(const runtime::all_reads& reads) {
    if (is_stopped_) return;
    if (reads.metrics.size() != at_work_->sources.size()) return finish();
    const manifest::scaled_job& job = at_work_->job;
    const jobs::total total = jobs::total_of(job, readings(reads));
    poll_batch batch;
    batch.seen = observe();
    last_counts_ = batch.seen.is_unreadable ? std::nullopt : std::optional(batch.seen.seen);
    batch.decision = jobs::decide(job, batch.seen, total);
    // Jobs that cannot be listed do not count as 0 in any profile; KEDA would create all of them again.
    batch.decision.is_held = batch.seen.is_unreadable;
    batch.left = batch.decision.is_held ? 0 : batch.decision.create;
    conditions_ = {condition_of("Ready", batch.decision.ready), condition_of("Active", batch.decision.active)};
    was_active_ = batch.decision.is_active;
    if (batch.decision.is_active) active_ms_ = with().loop->wall_ms();
    const bool is_held = batch.decision.is_held;
    batch_ = std::move(batch);
    if (is_held) {
        set_problem(block_reason::unseen, "its Jobs cannot be read now, so none is created or deleted");
        return finish();
    }
    end_problem(block_reason::unseen);
    if (with().settings.shadow) {
        note_wanted(batch_->left);
        return finish();
    }
    roll_out();
}

std::vector<jobs::trigger_reading> job_scaler::readings(const runtime::all_reads& reads) const {
    std::vector<jobs::trigger_reading> out;
    const scaled_object* here = object();
    for (std::size_t i = 0; i < at_work_->targets.size(); ++i) {
        const runtime::last_read& read = reads.metrics[i];
        out.push_back(pipeline::reading_of(at_work_->targets[i], read.value));
        if (at_work_->sources[i] == nullptr || read.value.state == sample_state::ok) continue;
        if (here != nullptr) with().texts->doubt(*here);
        announce(true, "KEDAScalerFailed",
                 read.why != nullptr ? read.why->message : std::string(sample_state_name(read.value.state)));
    }
    return out;
}

std::vector<jobs::job> job_scaler::known_jobs() const {
    std::vector<jobs::job> out;
    const bool pods_are_known = all_.pods().is_known(name_.name_space);
    for (const object_key& key : all_.jobs_of(name_)) {
        const seen_job* seen = all_.seen_jobs().find(key);
        if (seen == nullptr) continue;
        out.push_back(seen->job);
        jobs::job& job = out.back();
        job.is_deleting = job.is_deleting || deleted_.count(seen->uid) > 0;
        job.pods_unreadable = !pods_are_known;
        for (const object_key& pod : all_.pods_of(key)) {
            if (const seen_pod* found = all_.pods().find(pod)) job.pods.push_back(found->pod);
        }
    }
    return out;
}

// Counts the Jobs.  In both profiles a created Job counts before the watch shows it.  Without a working watch the count is
// unknown.
jobs::observation job_scaler::observe() {
    const manifest::scaled_job& job = at_work_->job;
    const store<seen_job>& seen_jobs = all_.seen_jobs();
    const watch_health* health = seen_jobs.health(name_.name_space);
    const std::int64_t heard_ms = health != nullptr ? health->heard_ms : 0;
    std::erase_if(unseen_, [&](const auto& created) {
        return heard_ms - created.second > unseen_for_ms || seen_jobs.find(created.first) != nullptr;
    });
    jobs::observation out;
    out.is_unreadable = !seen_jobs.is_known(name_.name_space) || !seen_jobs.unknown_in(name_.name_space).empty();
    out.seen = jobs::count(known_jobs(), job.strategy, job.profile);
    out.seen.running += static_cast<std::int64_t>(unseen_.size());
    out.seen.pending += static_cast<std::int64_t>(unseen_.size());
    out.was_active = was_active_;
    return out;
}

void job_scaler::finish() {
    poll_.end();
    batch_.reset();
    write_status();
    plan_poll(std::max<std::int64_t>(0, next_poll_ms_ - with().now_ms()));
}

// ---- carrying out a decision

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
    if (!creation_.may_begin(with().now_ms())) batch_->left = 0;
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
    ++all_.changes.creations[static_cast<std::size_t>(creation.result)];
    if (is_stopped_ || !batch_) return;
    const bool is_there = creation.result == creation_result::created || creation.result == creation_result::existing;
    const bool is_taken = creation.result == creation_result::taken;
    if (is_there || is_taken) last_ordinal_ = std::max(last_ordinal_, ordinal);
    if (is_there) {
        --batch_->left;
        ++(creation.result == creation_result::created ? batch_->created : batch_->existing);
        const object_key job{name_.name_space, job_name(at_work_->job, ordinal)};
        if (!creation.is_over && all_.seen_jobs().find(job) == nullptr) unseen_[job] = with().now_ms();
        creation_.ended(true, 0);
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
    creation_.wrote(creation.result, creation.why, with().now_ms());
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
    const seen_job* seen = all_.seen_jobs().find(key);
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
    const bool is_done = gone.result == deletion_result::deleted;
    if (is_done || gone.result == deletion_result::missing) {
        deleted_.insert(uid);
        ++batch_->deleted;
        ++all_.changes.deletions;
    } else {
        batch_->undeleted[job] = gone.why.message;
        ++all_.changes.deletion_failures;
    }
    const bool ends =
        gone.result == deletion_result::no_lead || (!is_done && at_work_->job.profile == manifest::profile::strict);
    if (ends) batch_->doomed.clear();
    delete_next();
}

void job_scaler::end_deleting() {
    std::string message;
    for (const auto& [job, why] : batch_->undeleted) {
        message = format_text("Failed to delete job {}: {}", job, why);
        if (batch_->is_rollout) announce(true, "ScaledJobRolloutCleanupFailed", message);
    }
    if (batch_->deleted > 0 || !message.empty()) note_deletion(message);
    // The watch does not report most of these uids any more.
    if (deleted_.size() > all_.jobs_of(name_).size() + 1'000) deleted_.clear();
    if (!batch_->is_rollout) return finish();
    if (message.empty()) {
        rolled_generation_ = at_work_->job.generation;
        announce(false, "ScaledJobRolloutCleanupCompleted",
                 format_text("Deleted {} jobs owned by the previous version of the scaledJob", batch_->deleted));
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

void job_scaler::note_deletion(const std::string& message) const {
    json_writer out = begin_note("jobs_deleted");
    out.member("reason", batch_->is_rollout ? "rollout" : "history")
        .member("wanted", batch_->deleted + static_cast<std::int64_t>(batch_->undeleted.size()));
    out.member("deleted", batch_->deleted).member("message", message);
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
