// How ScaledJobs of a cluster come, change and go, and how their Jobs and pods are seen.
#include "base/format_text.hpp"
#include "jobs/created_job.hpp"
#include "kubernetes/controller/attached.hpp"
#include "kubernetes/controller/jobs/attached_jobs.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
attached_jobs::attached_jobs(jobs_surroundings surroundings) : with_(std::move(surroundings)) {
    changed_ = std::make_shared<marked_objects>(
        with_.loop, [this](std::set<key>& names) { add_all(names); }, [this](const key& name) { refresh(name); });
    scaled_jobs_ = std::make_unique<collection<scaled_job>>(
        [us = with_.settings.owner](simdjson::dom::object object) { return read_scaled_job(object, us); },
        [this](const key& name) { mark(name); });
    jobs_ = std::make_unique<collection<seen_job>>(&read_job, [this](const key& job) { job_changed(job); });
    pods_ = std::make_unique<collection<seen_pod>>(&read_pod, [this](const key& pod) { pod_changed(pod); });
}

void attached_jobs::begin() {
    std::vector<std::string> spaces = with_.settings.namespaces;
    if (spaces.empty()) spaces.emplace_back();
    for (const std::string& space : spaces) {
        scaled_jobs_->watch(with_.api, kedas("scaledjobs").collection(space, with_.settings.selector), space);
    }
}

void attached_jobs::end() {
    is_ending_ = true;
    scaled_jobs_->stop();
    jobs_->stop();
    pods_->stop();
    changed_->stop();
    while (!entries_.empty()) drop(key(entries_.begin()->first));
}

// Only once there is a ScaledJob: who has none needs no right to them.
void attached_jobs::watch_jobs(const std::string& name_space) {
    const std::string space = with_.settings.namespaces.empty() ? std::string() : name_space;
    const std::string selector(jobs::name_label);
    jobs_->watch(with_.api, known_resource("batch", "v1", "jobs").collection(space, selector), space);
    pods_->watch(with_.api, known_resource("", "v1", "pods").collection(space, selector), space);
}

void attached_jobs::job_changed(const key& job) {
    const seen_job* seen = jobs_->find(job);
    if (seen == nullptr) return jobs_by_owner_.drop(job);
    const key owner{job.name_space, seen->scaled_job};
    jobs_by_owner_.put(job, owner);
    entry* scaler = find(owner);
    if (scaler == nullptr) return;
    scaler->unseen.erase(job);
    if (scaler->at_work && scaler->at_work->job.uid == seen->owner_uid)
        scaler->last_ordinal = std::max(scaler->last_ordinal, seen->ordinal);
}

void attached_jobs::pod_changed(const key& pod) {
    const seen_pod* seen = pods_->find(pod);
    if (seen == nullptr) return pods_by_job_.drop(pod);
    pods_by_job_.put(pod, {pod.name_space, seen->job});
}

void attached_jobs::add_all(std::set<key>& names) const {
    scaled_jobs_->each([&](const key& name, const scaled_job&) { names.insert(name); });
    for (const auto& [name, known] : entries_) names.insert(name);
}

void attached_jobs::read_manifests_again() {
    for (auto& [name, scaler] : entries_) scaler.texts = 0;
    mark_all();
}

void attached_jobs::refresh(const key& name) {
    const scaled_job* object = scaled_jobs_->find(name);
    if (object == nullptr || object->common.facts.deleting) {
        drop(name);
    } else {
        take(name, *object);
    }
}

attached_jobs::entry* attached_jobs::find(const key& name) {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second;
}

bool attached_jobs::leads(const key& name) const { return with_.leads != nullptr && with_.leads->leads(name); }

// A manifest with an error changes nothing of what was at work.
void attached_jobs::take(const key& name, const scaled_job& object) {
    watch_jobs(name.name_space);
    entry* known = find(name);
    if (known != nullptr) look_at_owner(name, object, *known);  // whatever becomes of its manifest
    const scaler_texts texts = with_.texts.texts_of(object.common);
    if (!texts.is_complete || !with_.are_versions_known()) return;  // it comes again
    entry& scaler = entries_[name];
    if (known == nullptr) {
        note_membership(name, true);
        look_at_owner(name, object, scaler);
    }
    const std::size_t hash = hash_of(texts);
    if (scaler.texts == hash) return;
    result<job_work> opened = open(name, object, texts);
    if (!opened) {
        scaler.texts = hash;
        scaler.is_servers = false;
        hold(name, scaler, hindrance::refused,
             texts.why.status != status::ok ? texts.why.message : std::move(opened).failure().message);
        return;
    }
    if (scaler.at_work && scaler.at_work->job.uid != opened->job.uid) {  // deleted and created anew between two looks
        drop(name);
        return mark(name);
    }
    scaler.at_work = *std::move(opened);
    scaler.not_before_ms = 0;
    if (scaler.held.trouble() == hindrance::refused) hold(name, scaler, hindrance::none, {});
    if (!object.common.status.conditions.empty() && !scaler.was_active) {
        for (const status_condition& each : object.common.status.conditions) {
            if (each.type == "Active" && each.status != "Unknown") scaler.was_active = each.status == "True";
        }
    }
    const std::set<key> jobs = jobs_by_owner_.members(name);
    for (const key& job : jobs) job_changed(job);  // their numbers
    scaler.texts = hash;                           // only now: what found no memory on the way is taken again
    scaler.next_poll_ms = 0;
    if (!is_polling(scaler)) plan(name, scaler, 0);
}

result<attached_jobs::job_work> attached_jobs::open(const key& name, const scaled_job& object,
                                                    const scaler_texts& texts) const {
    if (texts.is_over_bound) return texts.why;
    const pipeline::host_options host = pipeline::tenant_options(with_.host, name.name_space);
    config::loaded loaded = config::load(files_of(texts), pipeline::surroundings_of(host));
    if (loaded.report.count(config::severity::error) > 0) return loaded.report.as_error();
    if (loaded.jobs.empty()) return fail(status::invalid, name.text() + ": no ScaledJob is there to read");
    config::written_scaled_job& written = loaded.jobs.front();
    const auto without_values = [&](error why) {
        why.message = config::without_values(why.message, loaded.report.values);
        return why;
    };
    job_work out;
    const source::services services = with_.scalers.services_for(host);
    for (const config::trigger& trigger : written.triggers) {
        const auto described = source::describe(trigger, trigger.rules, written.job.profile, nullptr);
        if (!described) return without_values(described.failure());
        out.targets.push_back(described->target);
        out.sources.emplace_back();
        if (!described->target.resource.empty()) continue;
        auto opened = source::open(*described, services);
        if (!opened) return without_values(std::move(opened).failure());
        out.sources.back() = *std::move(opened);
    }
    out.job = std::move(written.job);
    out.job_target = object.job_target;
    const result<std::string> body = job_body(out.job, out.job_target, 1);
    if (!body) return body.failure();
    return out;
}

void attached_jobs::drop(const key& name) {
    with_.texts.forget({config::document_kind::scaled_job, name.name_space, name.name});
    entry* gone = find(name);
    if (gone == nullptr) return;
    with_.loop->cancel(gone->timer);
    gone->poll.cancel();
    gone->status_write.cancel();
    note_membership(name, false);
    entries_.erase(name);
}

void attached_jobs::hold(const key& name, entry& scaler, hindrance hindrance, std::string why) {
    if (scaler.held.set_trouble(hindrance, std::move(why))) note_hindrance(name, scaler);
}

// By another gputide's name on it, or by KEDA's finalizer: two that create for one queue create everything twice.
void attached_jobs::look_at_owner(const key& name, const scaled_job& object, entry& scaler) {
    const std::string& us = with_.settings.owner;
    const bool is_kedas = object.common.is_kedas && !(object.common.owner == us && object.common.is_paused);
    hindrance reason = hindrance::none;
    std::string why;
    if (object.common.is_anothers(us)) {
        reason = hindrance::not_owner;
        why = anothers_text(object.common.owner, us);
    } else if (is_kedas && !with_.settings.shadow) {
        reason = hindrance::contested;
        why =
            "KEDA's operator looks after it (its finalizer is there): annotate it with autoscaling.keda.sh/paused: "
            "\"true\" and gputide.io/owner: " +
            us + ", or remove KEDA and the finalizer";
    }
    const bool was_anothers = scaler.held.is_anothers();
    if (scaler.held.set_claim(reason, std::move(why))) note_hindrance(name, scaler);
    const bool comes_to_us = was_anothers && !scaler.held.is_anothers();
    if (comes_to_us && scaler.at_work && !is_polling(scaler)) plan(name, scaler, 0);
}

void attached_jobs::lead_changed() {
    for (auto& [name, scaler] : entries_) {
        if (leads(name) && scaler.at_work && !is_polling(scaler)) plan(name, scaler, 0);
    }
}

void attached_jobs::tick() {
    for (auto& [name, scaler] : entries_) {
        if (scaler.held.is_held() || scaler.is_status_late) write_status(name, scaler);  // it may have no polls soon
        announce_hindrance(name, scaler);
        const bool is_lost = scaler.at_work && !is_polling(scaler) && scaler.timer == 0;  // for want of memory
        if (is_lost) plan(name, scaler, 0);
    }
    // Texts that were under way when it was taken first.
    scaled_jobs_->each([this](const key& name, const scaled_job& object) {
        if (!object.common.facts.deleting && find(name) == nullptr) mark(name);
    });
    changed_->look_again();
}

}  // namespace gputide::kubernetes
