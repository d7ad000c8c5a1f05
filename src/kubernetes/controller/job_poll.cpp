// Polls a ScaledJob, up to the decision.
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
    if (is_first_list(rules_.seen_jobs(), space) || is_first_list(rules_.pods(), space))
        return plan_poll(first_list_ms);
    runtime::read_plan plan;
    plan.now_ms = with().loop->wall_ms();
    plan.deadline_ms = with().now_ms() + poll_timeout_ms;
    // If a step of the poll is lost, the poll ends at this time, and tick() plans the next one.
    poll_.begin_until(
        runtime::read_metrics(
            *with().loop, at_work_->sources, plan,
            while_alive(*this, [](job_scaler& here, const runtime::all_reads& reads) { here.reads_came(reads); })),
        plan.deadline_ms + poll_lost_after_ms);
    ++rules_.counted.polls;
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
    const bool pods_are_known = rules_.pods().is_known(name_.name_space);
    for (const object_key& key : rules_.jobs_of(name_)) {
        const seen_job* seen = rules_.seen_jobs().find(key);
        if (seen == nullptr) continue;
        out.push_back(seen->job);
        jobs::job& job = out.back();
        job.is_deleting = job.is_deleting || deleted_.count(seen->uid) > 0;
        job.pods_unreadable = !pods_are_known;
        for (const object_key& pod : rules_.pods_of(key)) {
            if (const seen_pod* found = rules_.pods().find(pod)) job.pods.push_back(found->pod);
        }
    }
    return out;
}

// Counts the Jobs.  In both profiles a created Job counts before the watch shows it.  Without a working watch the count is
// unknown.
jobs::observation job_scaler::observe() {
    const manifest::scaled_job& job = at_work_->job;
    const store<seen_job>& seen_jobs = rules_.seen_jobs();
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

}  // namespace gputide::kubernetes
