// One poll of a ScaledJob, up to its decision.
#include "base/format_text.hpp"
#include "kubernetes/controller/attached.hpp"
#include "kubernetes/controller/jobs/attached_jobs.hpp"
#include "pipeline/scaled_job.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t poll_timeout_ms = 15'000;
constexpr std::int64_t poll_lost_after_ms = 5'000;  // behind the timeout
constexpr std::int64_t unseen_for_ms = 300'000;     // a Job that a watch at work has not brought by then is gone

constexpr std::int64_t first_list_ms = 100;  // until a list under way is looked for again

// It is under way, and nothing has failed yet.
template <class Value>
bool is_first_list(const collection<Value>& of, const std::string& name_space) {
    const watch_health* health = of.health(name_space);
    return health != nullptr && !health->is_known && health->why.status == status::ok;
}

}  // namespace

void attached_jobs::plan(const key& name, entry& scaler, std::int64_t delay_ms) {
    with_.loop->cancel(std::exchange(scaler.timer, 0));
    scaler.timer = with_.loop->after(delay_ms, [self = weak_from_this(), name] {
        const auto here = self.lock();
        if (!here || here->is_ending_) return;
        if (entry* found = here->find(name)) {
            found->timer = 0;
            here->poll(name);
        }
    });
}

// A standby asks nobody: it has no windows to fill, and what it needs to know is what the watch brings.
void attached_jobs::poll(const key& name) {
    entry& scaler = *find(name);
    if (!scaler.at_work || is_polling(scaler)) return;
    const job_work& work = *scaler.at_work;
    scaler.next_poll_ms = with_.loop->steady_ms() + std::int64_t{work.job.polling_interval_s} * 1'000;
    const bool is_looked_at = with_.settings.shadow || leads(name);
    if (!is_looked_at || scaler.held.is_anothers() || is_paused(name, scaler)) return finish(name, scaler);
    if (is_first_list(*jobs_, name.name_space) || is_first_list(*pods_, name.name_space))
        return plan(name, scaler, first_list_ms);
    runtime::read_plan asked;
    asked.now_ms = with_.loop->wall_ms();
    asked.deadline_ms = with_.loop->steady_ms() + poll_timeout_ms;
    // A poll one of whose steps is lost ends with it, and tick() plans the next one.
    scaler.poll.begin_until(runtime::read_metrics(*with_.loop, work.sources, asked,
                                                  [self = weak_from_this(), name](const runtime::all_reads& reads) {
                                                      if (const auto here = self.lock()) here->reads_came(name, reads);
                                                  }),
                            asked.deadline_ms + poll_lost_after_ms);
    ++counts_.polls;
}

// Between a poll's question and its answer the manifest may have become another one: then the next poll is the first of that.
void attached_jobs::reads_came(const key& name, const runtime::all_reads& reads) {
    entry* found = find(name);
    if (found == nullptr) return;
    entry& scaler = *found;
    if (reads.metrics.size() != scaler.at_work->sources.size()) return finish(name, scaler);
    const config::scaled_job& job = scaler.at_work->job;
    const jobs::total asked = jobs::total_of(job, readings(name, *scaler.at_work, reads));
    poll_batch doing;
    doing.seen = observe(name, scaler);
    doing.decision = jobs::decide(job, doing.seen, asked);
    // Jobs that nobody can list are not none, whatever the profile: KEDA would create all of them once more.
    doing.decision.is_held = doing.seen.is_unreadable;
    doing.left = doing.decision.is_held ? 0 : doing.decision.create;
    scaler.conditions = {condition("Ready", doing.decision.ready), condition("Active", doing.decision.active)};
    scaler.was_active = doing.decision.is_active;
    if (doing.decision.is_active) scaler.active_ms = with_.loop->wall_ms();
    const bool is_held = doing.decision.is_held;
    scaler.doing = std::move(doing);
    if (is_held) {
        hold(name, scaler, hindrance::unseen, "its Jobs cannot be seen at present, so none is created or deleted");
        return finish(name, scaler);
    }
    if (scaler.held.trouble() == hindrance::unseen) hold(name, scaler, hindrance::none, {});
    if (with_.settings.shadow) {
        note_wanted(name, scaler, scaler.doing->left);
        return finish(name, scaler);
    }
    roll_out(name, scaler);
}

std::vector<jobs::trigger_reading> attached_jobs::readings(const key& name, const job_work& work,
                                                           const runtime::all_reads& reads) {
    std::vector<jobs::trigger_reading> out;
    const scaled_job* object = scaled_jobs_->find(name);
    for (std::size_t i = 0; i < work.targets.size(); ++i) {
        const runtime::last_read& read = reads.metrics[i];
        out.push_back(pipeline::reading_of(work.targets[i], read.value));
        if (work.sources[i] == nullptr || read.value.state == sample_state::ok) continue;
        if (object != nullptr) with_.texts.doubt(object->common);
        announce(name, true, "KEDAScalerFailed",
                 read.why != nullptr ? read.why->message : std::string(sample_state_name(read.value.state)));
    }
    return out;
}

std::vector<jobs::job> attached_jobs::jobs_of(const key& name, const entry& scaler) const {
    std::vector<jobs::job> out;
    const bool pods_are_known = pods_->is_known(name.name_space);
    for (const key& member : jobs_by_owner_.members(name)) {
        const seen_job* seen = jobs_->find(member);
        if (seen == nullptr) continue;
        out.push_back(seen->job);
        jobs::job& job = out.back();
        job.is_deleting = job.is_deleting || scaler.deleted.count(seen->uid) > 0;
        job.pods_unreadable = !pods_are_known;
        for (const key& pod : pods_by_job_.members(member)) {
            if (const seen_pod* its_pod = pods_->find(pod)) job.pods.push_back(its_pod->pod);
        }
    }
    return out;
}

// A Job that was created and that the watch has not brought yet is there, in both profiles; of a watch that tells nothing any more
// it is not known.
jobs::observation attached_jobs::observe(const key& name, entry& scaler) const {
    const config::scaled_job& job = scaler.at_work->job;
    const watch_health* health = jobs_->health(name.name_space);
    const std::int64_t heard_ms = health != nullptr ? health->heard_ms : 0;
    std::erase_if(scaler.unseen, [&](const auto& created) {
        return heard_ms - created.second > unseen_for_ms || jobs_->find(created.first) != nullptr;
    });
    jobs::observation out;
    out.is_unreadable = !jobs_->is_known(name.name_space) || !jobs_->unknown_in(name.name_space).empty();
    out.seen = jobs::count(jobs_of(name, scaler), job.strategy, job.profile);
    out.seen.running += static_cast<std::int64_t>(scaler.unseen.size());
    out.seen.pending += static_cast<std::int64_t>(scaler.unseen.size());
    out.was_active = scaler.was_active;
    return out;
}

void attached_jobs::finish(const key& name, entry& scaler) {
    scaler.poll.end();
    scaler.doing.reset();
    write_status(name, scaler);
    plan(name, scaler, std::max<std::int64_t>(0, scaler.next_poll_ms - with_.loop->steady_ms()));
}

}  // namespace gputide::kubernetes
