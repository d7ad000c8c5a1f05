// Opens the scaler of a ScaledJob and builds its status.  Contains the state that all ScaledJobs share (job_reconciler).
#include "kubernetes/controller/job_scaler.hpp"

#include "base/text.hpp"
#include "jobs/decide.hpp"
#include "jobs/job.hpp"

#include <algorithm>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t min_jobs_active_step_s = 30;  // minimum step of lastActiveTime
constexpr std::size_t max_reason_bytes = 1'024;

bool is_true(std::string_view type, const scaled_object_status& status) {
    return std::ranges::any_of(status.conditions,
                               [&](const auto& each) { return each.type == type && each.status == "True"; });
}

}  // namespace

// ---- all ScaledJobs

job_reconciler::job_reconciler(controller_context& context)
    : reconciler(context, manifest::document_kind::scaled_job, &read_scaled_job),
      jobs_(&read_job, [this](const object_key& job) { job_changed(job); }),
      pods_(&read_pod, [this](const object_key& pod) { pod_changed(pod); }) {}

std::shared_ptr<managed_scaler> job_reconciler::make(const object_key& name) {
    return std::make_shared<job_scaler>(*this, name);
}

void job_reconciler::end() {
    reconciler::end();
    jobs_.stop();
    pods_.stop();
}

void job_reconciler::leadership_changed() {
    each<job_scaler>([](job_scaler& scaler) { scaler.leadership_changed(); });
}

void job_reconciler::watch_jobs(const object_key& name) {
    const std::string space = context_.watched_namespace_of(name);
    const std::string selector(jobs::name_label);
    jobs_.watch(context_.api, known_resource("batch", "v1", "jobs").collection(space, selector), space);
    pods_.watch(context_.api, known_resource("", "v1", "pods").collection(space, selector), space);
}

void job_reconciler::job_changed(const object_key& job) {
    const seen_job* seen = jobs_.find(job);
    if (seen == nullptr) return jobs_by_owner_.drop(job);
    const object_key owner{job.name_space, seen->scaled_job};
    jobs_by_owner_.put(job, owner);
    if (auto* scaler = find<job_scaler>(owner)) scaler->job_seen(job, *seen);
}

void job_reconciler::pod_changed(const object_key& pod) {
    const seen_pod* seen = pods_.find(pod);
    if (seen == nullptr) return pods_by_job_.drop(pod);
    pods_by_job_.put(pod, {pod.name_space, seen->job});
}

void job_reconciler::describe(json_writer& out) const {
    std::size_t count = 0, unseen = 0;
    each<job_scaler>([&](const job_scaler& scaler) {
        count += scaler.is_listed() ? 1U : 0U;
        unseen += scaler.unseen();
    });
    out.key("scaled_jobs").begin_object().member("count", count).member("polls", changes.polls);
    out.key("creations").begin_object();
    for (std::size_t result = 0; result < creation_results; ++result)
        out.member(creation_result_name(static_cast<creation_result>(result)), changes.creations[result]);
    out.end_object().member("unseen", unseen).member("deletions", changes.deletions);
    out.member("deletion_failures", changes.deletion_failures);
    describe_statuses(out);
    describe_blocks(out);
    out.key("objects").begin_array();
    each<job_scaler>([&](const job_scaler& scaler) { scaler.describe(out); });
    out.end_array().end_object();
}

void job_scaler::describe(json_writer& out) const {
    if (!at_work_) return;
    const manifest::scaled_job& job = at_work_->job;
    out.begin_object().member("namespace", name_.name_space).member("name", name_.name);
    const jobs::bounds bounds = jobs::bounds_of(job);
    out.member("min", bounds.min).member("max", bounds.min + bounds.headroom);
    out.member("gpus_per_job", static_cast<double>(job.gpus_per_job_milli) / 1'000.0);
    if (job.cost_per_gpu_hour > 0.0) out.member("cost_per_gpu_hour", job.cost_per_gpu_hour);
    if (last_counts_) out.member("running", last_counts_->running).member("pending", last_counts_->pending);
    out.end_object();
}

// ---- opening

void job_scaler::take(const scaled_object& object) {
    all_.watch_jobs(name_);
    if (is_added_) update_owner(object);  // even if the manifest cannot be opened
    load(object);
}

result<void> job_scaler::open(const scaled_object& object, const scaler_texts& texts, bool) {
    if (!std::exchange(is_added_, true)) {
        note_membership(true);
        update_owner(object);
    }
    result<opened_job> opened = open_triggers(object, texts);
    if (!opened) {
        is_refused_by_server_ = false;
        return opened.take_failure();
    }
    if (at_work_ && at_work_->job.uid != opened->job.uid) {  // the ScaledJob was deleted and created again meanwhile
        of_.drop(name_);
        of_.add(name_);
        return {};
    }
    at_work_ = *std::move(opened);
    creation_.not_before_ms = 0;
    if (!was_active_) {
        for (const status_condition& each : object.status.conditions) {
            if (each.type == "Active" && each.status != "Unknown") was_active_ = each.status == "True";
        }
    }
    for (const object_key& key : all_.jobs_of(name_)) {  // raises last_ordinal_
        if (const seen_job* job = all_.seen_jobs().find(key)) job_seen(key, *job);
    }
    next_poll_ms_ = 0;
    if (!is_polling()) plan_poll(0);
    return {};
}

result<job_scaler::opened_job> job_scaler::open_triggers(const scaled_object& object, const scaler_texts& texts) const {
    if (texts.is_over_bound) return texts.why;
    const pipeline::host_options host = pipeline::tenant_options(with().host, name_.name_space);
    manifest::loaded loaded = manifest::load(files_of(texts), pipeline::surroundings_of(host));
    if (loaded.report.count(text::severity::error) > 0) return loaded.report.as_error();
    if (loaded.jobs.empty()) return fail(status::invalid, "{}: the manifest contains no ScaledJob", name_.text());
    manifest::written_scaled_job& written = loaded.jobs.front();
    const auto without_values = [&](error why) {
        why.message = text::without_values(why.message, loaded.report.values);
        return why;
    };
    opened_job out;
    const source::services services = with().scalers.services_for(host);
    for (const manifest::trigger& trigger : written.triggers) {
        const auto described = source::describe(trigger, trigger.rules, written.job.profile, nullptr);
        if (!described) return without_values(described.failure());
        out.targets.push_back(described->target);
        out.sources.emplace_back();
        if (!described->target.resource.empty()) continue;
        auto source = source::open(*described, services);
        if (!source) return without_values(source.take_failure());
        out.sources.back() = *std::move(source);
    }
    out.job = std::move(written.job);
    out.job_target = object.job_target;
    const result<std::string> body = job_body(out.job, out.job_target, 1);
    if (!body) return body.failure();
    return out;
}

void job_scaler::job_seen(const object_key& key, const seen_job& job) {
    unseen_.erase(key);
    if (at_work_ && at_work_->job.uid == job.owner_uid) last_ordinal_ = std::max(last_ordinal_, job.ordinal);
}

void job_scaler::stop() {
    managed_scaler::stop();
    with().loop->cancel(timer_);
    poll_.cancel();
    if (is_added_) note_membership(false);
}

// Blocks the scaler if another gputide or KEDA owns the ScaledJob: two controllers would create each Job twice.
void job_scaler::update_owner(const scaled_object& object) {
    const std::string& us = with().settings.owner;
    const bool is_kedas = object.is_kedas && !(object.owner == us && object.is_paused);
    block_reason reason = block_reason::none;
    std::string why;
    if (object.is_anothers(us)) {
        reason = block_reason::not_owner;
        why = anothers_text(object.owner, us);
    } else if (is_kedas && !with().settings.shadow) {
        reason = block_reason::contested;
        why =
            "KEDA's operator manages it (it has KEDA's finalizer): annotate it with autoscaling.keda.sh/paused: "
            "\"true\" and gputide.io/owner: " +
            us + ", or remove KEDA and the finalizer";
    }
    const bool had_other_owner = block_.has_other_owner();
    if (block_.set_owner(reason, std::move(why))) note_block();
    if (had_other_owner && !block_.has_other_owner()) poll_at_once();
}

void job_scaler::leadership_changed() {
    if (with().is_leader(name_)) poll_at_once();
}

void job_scaler::tick() {
    if (!is_added_) return of_.add(name_);  // its Secrets and ConfigMaps were not complete in take()
    managed_scaler::tick();
    if (timer_ == 0) poll_at_once();  // the timer of the next poll could not be set: out of memory
}

// ---- status

bool job_scaler::is_paused() const {
    if (at_work_ && jobs::is_paused(at_work_->job)) return true;
    const scaled_object* here = object();
    return here != nullptr && here->is_paused && here->owner != with().settings.owner;
}

jobs::event job_scaler::block_event() const {
    return block_.is_blocked() ? jobs::failed_event(block_.why()) : jobs::ready_event();
}

status_condition condition_of(const char* type, const jobs::verdict& verdict) {
    return {type, std::string(verdict.status), std::string(verdict.reason), verdict.message};
}

// Returns the conditions as KEDA sets them.  Active keeps its value while the ScaledJob is paused.  Paused=False has no reason if
// it was never paused.  Fallback does not apply to ScaledJobs and keeps its initial value (GetInitializedConditions in
// kedacore/keda apis/keda/v1alpha1/condition_types.go).
std::vector<status_condition> job_scaler::conditions_for(const scaled_object& object) const {
    const status_condition fallback{"Fallback", "Unknown", {}, {}};
    status_condition active{"Active", "Unknown", {}, {}}, paused{"Paused", "False", {}, {}};
    for (const status_condition& each : object.status.conditions) {
        if (each.type == active.type) active = each;
        if (each.type == paused.type && each.status != "Unknown") paused = each;
    }
    const bool is_stopped = is_paused();
    if (const auto change = jobs::pause_change(is_stopped, paused.status == "True"))
        paused = condition_of("Paused", *change);
    if (block_.is_blocked()) {
        return {condition_of("Ready", jobs::failed_verdict(std::string(cut_utf8(block_.why(), max_reason_bytes)))),
                condition_of("Active", jobs::unknown_activity()), fallback, std::move(paused)};
    }
    if (!conditions_.empty()) active = conditions_.back();
    status_condition ready = !is_stopped && !conditions_.empty()
                                 ? conditions_.front()
                                 : condition_of("Ready", jobs::ready_verdict(std::string(jobs::paused_message)));
    return {std::move(ready), std::move(active), fallback, std::move(paused)};
}

scaled_object_status job_scaler::status_of(const scaled_object& object) {
    scaled_object_status out = object.status;
    set_last_active(min_jobs_active_step_s, out);
    out.trigger_types = object.trigger_types;
    out.conditions = conditions_for(object);
    pause_change_ = jobs::pause_change(is_true("Paused", out), is_true("Paused", object.status));
    return out;
}

void job_scaler::status_was_written() {
    if (pause_change_) announce(false, pause_change_->reason, pause_change_->message);
}

}  // namespace gputide::kubernetes
