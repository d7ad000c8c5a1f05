// One poll of a ScaledJob, up to its decision.
#include "base/format_text.hpp"
#include "pipeline/scaled_job.hpp"
#include "runtime/cluster/attached.hpp"
#include "runtime/cluster/jobs/attached_jobs.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::int64_t poll_timeout_ms = 15'000;
constexpr std::int64_t unseen_for_ms = 300'000;  // a Job that no watch has brought by then is not there any more

constexpr std::int64_t first_list_ms = 100;  // until a list under way is looked for again

// It is under way, and nothing has failed yet.
template <class Value>
bool is_first_list(const collection<Value>& of, const std::string& name_space) {
    const cluster::watch_health* health = of.health(name_space);
    return health != nullptr && !health->is_known && health->why.status == status::ok;
}

}  // namespace

void attached_jobs::plan(const key& one, entry& its, std::int64_t delay_ms) {
    with_.loop->cancel(std::exchange(its.timer, 0));
    its.timer = with_.loop->after(delay_ms, [self = weak_from_this(), one] {
        const auto here = self.lock();
        if (!here || here->is_ending_) return;
        if (entry* found = here->find(one)) {
            found->timer = 0;
            here->poll(one);
        }
    });
}

// A standby asks nobody: it has no windows to fill, and what it needs to know is what the watch brings.
void attached_jobs::poll(const key& one) {
    entry& its = *find(one);
    if (!its.at_work || its.is_polling) return;
    const job_work& work = *its.at_work;
    its.next_poll_ms = with_.loop->steady_ms() + std::int64_t{work.job.polling_interval_s} * 1'000;
    const bool is_looked_at = with_.settings.shadow || leads(one);
    const bool is_held = its.held_by == hindrance::not_owner || its.held_by == hindrance::contested;
    if (!is_looked_at || is_held || is_paused(one, its)) return finish(one, its);
    if (is_first_list(*jobs_, one.name_space) || is_first_list(*pods_, one.name_space))
        return plan(one, its, first_list_ms);
    its.is_polling = true;
    ++counts_.polls;
    read_plan asked;
    asked.now_ms = with_.loop->wall_ms();
    asked.deadline_ms = with_.loop->steady_ms() + poll_timeout_ms;
    its.under_way =
        read_metrics(*with_.loop, work.sources, asked, [self = weak_from_this(), one](const all_reads& reads) {
            if (const auto here = self.lock()) here->reads_came(one, reads);
        });
}

// Between a poll's question and its answer the manifest may have become another one: then the next poll is the first of that.
void attached_jobs::reads_came(const key& one, const all_reads& reads) {
    entry* found = find(one);
    if (found == nullptr) return;
    entry& its = *found;
    if (reads.metrics.size() != its.at_work->sources.size()) return finish(one, its);
    const config::scaled_job& job = its.at_work->job;
    const jobs::total asked = jobs::total_of(job, readings(one, *its.at_work, reads));
    poll_batch doing;
    doing.seen = observe(one, its);
    doing.decision = jobs::decide(job, doing.seen, asked);
    // Jobs that nobody can list are not none, whatever the profile: KEDA would create all of them once more.
    doing.decision.is_held = doing.seen.is_unreadable;
    doing.left = doing.decision.is_held ? 0 : doing.decision.create;
    its.conditions = {{"Ready", std::string(doing.decision.ready.status), std::string(doing.decision.ready.reason),
                       doing.decision.ready.message},
                      {"Active", std::string(doing.decision.active.status), std::string(doing.decision.active.reason),
                       doing.decision.active.message}};
    its.was_active = doing.decision.is_active;
    if (doing.decision.is_active) its.active_ms = with_.loop->wall_ms();
    const bool is_held = doing.decision.is_held;
    its.doing = std::move(doing);
    if (is_held) {
        hold(one, its, hindrance::unseen, "its Jobs cannot be seen at present, so none is created or deleted");
        return finish(one, its);
    }
    if (its.held_by == hindrance::unseen) hold(one, its, hindrance::none, {});
    if (with_.settings.shadow) {
        note_wanted(one, its, its.doing->left);
        return finish(one, its);
    }
    roll_out(one, its);
}

std::vector<jobs::trigger_reading> attached_jobs::readings(const key& one, const job_work& work,
                                                           const all_reads& reads) {
    std::vector<jobs::trigger_reading> out;
    const cluster::scaled_job* object = scaled_jobs_->find(one);
    for (std::size_t i = 0; i < work.targets.size(); ++i) {
        const last_read& read = reads.metrics[i];
        out.push_back(pipeline::reading_of(work.targets[i], read.value));
        if (work.sources[i] == nullptr || read.value.state == sample_state::ok) continue;
        if (object != nullptr) with_.texts.doubt(object->common);
        announce(one, true, "KEDAScalerFailed",
                 read.why != nullptr ? read.why->message : std::string(sample_state_name(read.value.state)));
    }
    return out;
}

std::vector<jobs::job> attached_jobs::jobs_of(const key& one, const entry& its) const {
    std::vector<jobs::job> out;
    const bool pods_are_known = pods_->is_known(one.name_space);
    for (const key& member : jobs_by_owner_.members(one)) {
        const seen_job* seen = jobs_->find(member);
        if (seen == nullptr) continue;
        out.push_back(seen->job);
        jobs::job& job = out.back();
        job.is_deleting = job.is_deleting || its.deleted.count(seen->uid) > 0;
        job.pods_unreadable = !pods_are_known;
        for (const key& pod : pods_by_job_.members(member)) {
            if (const seen_pod* its_pod = pods_->find(pod)) job.pods.push_back(its_pod->pod);
        }
    }
    return out;
}

// A Job that was created and that the watch has not brought yet is there, in both profiles.
jobs::observation attached_jobs::observe(const key& one, entry& its) const {
    const config::scaled_job& job = its.at_work->job;
    const std::int64_t now_ms = with_.loop->steady_ms();
    std::erase_if(its.unseen, [&](const auto& created) {
        return now_ms - created.second > unseen_for_ms || jobs_->find(created.first) != nullptr;
    });
    jobs::observation out;
    out.is_unreadable = !jobs_->is_known(one.name_space);
    out.seen = jobs::count(jobs_of(one, its), job.strategy, job.profile);
    out.seen.running += static_cast<std::int64_t>(its.unseen.size());
    out.seen.pending += static_cast<std::int64_t>(its.unseen.size());
    out.was_active = its.was_active;
    return out;
}

void attached_jobs::finish(const key& one, entry& its) {
    its.is_polling = false;
    its.doing.reset();
    its.under_way.reset();
    write_status(one, its);
    plan(one, its, std::max<std::int64_t>(0, its.next_poll_ms - with_.loop->steady_ms()));
}

}  // namespace gputide::runtime
