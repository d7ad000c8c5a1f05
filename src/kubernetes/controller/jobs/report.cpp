// What others hear of ScaledJobs: the host by notes, kubectl's users by events and the status.
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "jobs/conditions.hpp"
#include "jobs/created_job.hpp"
#include "kubernetes/controller/attached.hpp"
#include "kubernetes/controller/jobs/attached_jobs.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::size_t max_held_listed = 100;  // in one description
constexpr std::int64_t least_between_statuses_ms = 15'000;
constexpr std::int64_t least_jobs_active_step_s = 30;  // lastActiveTime moves no finer
constexpr std::size_t most_reason_bytes = 1'024;

json_writer begin_job_note(const char* event, const object_key& name) {
    json_writer out;
    out.begin_object().member("event", event).member("namespace", name.name_space).member("name", name.name);
    out.member("kind", "ScaledJob");
    return out;
}

endpoint job_status_place(const object_key& name) { return kedas("scaledjobs").object(name, "patch", "status"); }

bool is_true(std::string_view type, const scaled_object_status& status) {
    return std::any_of(status.conditions.begin(), status.conditions.end(),
                       [&](const auto& each) { return each.type == type && each.status == "True"; });
}

}  // namespace

status_condition attached_jobs::condition(const char* type, const jobs::verdict& verdict) {
    return {type, std::string(verdict.status), std::string(verdict.reason), verdict.message};
}

bool attached_jobs::announce(const key& name, bool is_warning, std::string_view reason, std::string message) {
    const scaled_job* object = scaled_jobs_->find(name);
    return object != nullptr && with_.announce({name, object->common.facts.uid, is_warning, std::string(reason),
                                                std::move(message), "ScaledJob"});
}

void attached_jobs::announce(const key& name, const std::vector<jobs::event>& events) {
    for (const jobs::event& each : events) announce(name, each.is_warning, each.reason, each.message);
}

// Once a second: who is held may have been so before the lead was ours.
void attached_jobs::announce_hindrance(const key& name, entry& scaler) {
    if (scaler.announced == scaler.held.why() || with_.leads == nullptr || !with_.leads->may_write(name)) return;
    jobs::event event = scaler.held.is_held() ? jobs::failed_event(scaler.held.why()) : jobs::ready_event();
    if (announce(name, event.is_warning, event.reason, std::move(event.message))) scaler.announced = scaler.held.why();
}

void attached_jobs::note_membership(const key& name, bool is_there) {
    with_.scalers.queue_note(0, name.text(), begin_job_note(is_there ? "added" : "removed", name).end_object().take());
}

void attached_jobs::note_hindrance(const key& name, const entry& scaler) {
    json_writer out = begin_job_note(scaler.held.is_held() ? "held" : "resumed", name);
    if (scaler.held.is_held())
        out.member("reason", hindrance_name(scaler.held.reason())).member("message", scaler.held.why());
    with_.scalers.queue_note(0, name.text(), out.end_object().take());
}

void attached_jobs::note_creation(const key& name, const poll_batch& batch) {
    json_writer out = begin_job_note("jobs_created", name);
    out.member("wanted", batch.decision.create).member("created", batch.created).member("existing", batch.existing);
    out.member("running", batch.seen.seen.running).member("pending", batch.seen.seen.pending);
    out.member("message", batch.refusals.empty() ? std::string() : batch.refusals.back());
    with_.scalers.queue_note(0, name.text(), out.end_object().take());
}

void attached_jobs::note_deletion(const key& name, const poll_batch& batch, std::int64_t deleted,
                                  const std::string& message) {
    json_writer out = begin_job_note("jobs_deleted", name);
    out.member("reason", batch.is_rollout ? "rollout" : "history").member("wanted", batch.deletions.size());
    out.member("deleted", deleted).member("message", message);
    with_.scalers.queue_note(0, name.text(), out.end_object().take());
}

// In shadow, as it changes.
void attached_jobs::note_wanted(const key& name, entry& scaler, std::int64_t wanted) {
    if (std::exchange(scaler.last_wanted, wanted) == wanted) return;
    json_writer out = begin_job_note("jobs_wanted", name);
    out.member("wanted", wanted).member("running", scaler.doing->seen.seen.running);
    out.member("pending", scaler.doing->seen.seen.pending);
    with_.scalers.queue_note(0, name.text(), out.end_object().take());
}

bool attached_jobs::is_paused(const key& name, const entry& scaler) const {
    if (scaler.at_work && jobs::is_paused(scaler.at_work->job)) return true;
    const scaled_job* object = scaled_jobs_->find(name);
    return object != nullptr && object->common.is_paused && object->common.owner != with_.settings.owner;
}

// As KEDA has them: Active stays what it was while one is paused, who was never paused has no reason for Paused=False, and
// Fallback, which a ScaledJob has none of, stays as each object begins (GetInitializedConditions in kedacore/keda
// apis/keda/v1alpha1/condition_types.go).
std::vector<status_condition> attached_jobs::conditions_of(const key& name, const entry& scaler,
                                                           const scaled_job& object) const {
    const status_condition fallback{"Fallback", "Unknown", {}, {}};
    status_condition active{"Active", "Unknown", {}, {}}, paused{"Paused", "False", {}, {}};
    for (const status_condition& each : object.common.status.conditions) {
        if (each.type == active.type) active = each;
        if (each.type == paused.type && each.status != "Unknown") paused = each;
    }
    const bool is_stopped = is_paused(name, scaler);
    if (const auto change = jobs::pause_change(is_stopped, paused.status == "True"))
        paused = condition("Paused", *change);
    if (scaler.held.is_held()) {
        return {condition("Ready", jobs::failed_verdict(std::string(cut_utf8(scaler.held.why(), most_reason_bytes)))),
                condition("Active", jobs::unknown_activity()), fallback, std::move(paused)};
    }
    if (!scaler.conditions.empty()) active = scaler.conditions.back();
    status_condition ready = !is_stopped && !scaler.conditions.empty()
                                 ? scaler.conditions.front()
                                 : condition("Ready", jobs::ready_verdict(std::string(jobs::paused_message)));
    return {std::move(ready), std::move(active), fallback, std::move(paused)};
}

scaled_object_status attached_jobs::status_of(const key& name, const entry& scaler, const scaled_job& object) const {
    scaled_object_status out = object.common.status;
    if (scaler.active_ms / 1'000 >= out.last_active_s + least_jobs_active_step_s)
        out.last_active_s = scaler.active_ms / 1'000;
    out.trigger_types = object.common.trigger_types;
    out.conditions = conditions_of(name, scaler, object);
    return out;
}

std::optional<scaled_object_status> attached_jobs::due_status(const key& name, entry& scaler) const {
    const scaled_job* object = scaled_jobs_->find(name);
    if (object == nullptr || object->common.is_kedas || with_.settings.shadow) return std::nullopt;
    const bool is_new = scaler.conditions.empty() && !scaler.held.is_held();  // nothing was decided yet
    if (scaler.held.is_anothers() || (is_new && !is_paused(name, scaler)) || !with_.leads->may_write(name))
        return std::nullopt;
    scaled_object_status wanted = status_of(name, scaler, *object);
    scaler.is_status_late = !(wanted == object->common.status);
    if (!scaler.is_status_late || with_.loop->steady_ms() < scaler.status_not_before_ms) return std::nullopt;
    scaler.pause_change = jobs::pause_change(is_true("Paused", wanted), is_true("Paused", object->common.status));
    return wanted;
}

// What it says is read when its turn has come.
void attached_jobs::write_status(const key& name, entry& scaler) {
    if (scaler.status_write.is_under_way(with_.loop->steady_ms()) || !due_status(name, scaler)) return;
    scaler.status_write.begin(with_.api->send(
        job_status_place(name),
        [self = weak_from_this(), name] {
            const auto here = self.lock();
            return here ? here->status_request(name) : std::nullopt;
        },
        [self = weak_from_this(), name](const reply& reply) {
            if (const auto here = self.lock()) here->status_written(name, reply);
        }));
}

std::optional<api_request> attached_jobs::status_request(const key& name) {
    entry* scaler = find(name);
    const auto wanted = scaler != nullptr ? due_status(name, *scaler) : std::nullopt;
    if (!wanted) return std::nullopt;
    return merge_patch(job_status_place(name), status_patch(*wanted), with_.leads->write_ms());
}

// A status that is not written keeps nobody from creating.
void attached_jobs::status_written(const key& name, const reply& reply) {
    entry* scaler = find(name);
    if (scaler != nullptr) scaler->status_write.end();
    if (reply.verdict == verdict::unsent) return;
    const bool is_good = reply.verdict == verdict::good;
    ++(is_good ? counts_.statuses : counts_.status_failures);
    if (!is_good) counts_.status_message = reply.why.message;
    if (scaler == nullptr) return;
    if (scaler->pause_change && is_good)
        announce(name, false, scaler->pause_change->reason, scaler->pause_change->message);
    scaler->is_status_late = !is_good;
    scaler->status_failures = is_good ? 0 : scaler->status_failures + 1;
    const std::int64_t wait_ms = is_good ? 0 : missing_patience_ms(scaler->status_failures);
    scaler->status_not_before_ms = with_.loop->steady_ms() + std::max(least_between_statuses_ms, wait_ms);
}

void attached_jobs::describe(json_writer& out) const {
    std::size_t unseen = 0, written = 0;
    hindrance_counts held{};
    for (const auto& [name, scaler] : entries_) {
        ++held[static_cast<std::size_t>(scaler.held.reason())];
        unseen += scaler.unseen.size();
    }
    out.key("scaled_jobs").begin_object().member("count", entries_.size()).member("polls", counts_.polls);
    out.key("creations").begin_object();
    for (std::size_t what = 0; what < creation_results; ++what)
        out.member(creation_result_name(static_cast<creation_result>(what)), counts_.creations[what]);
    out.end_object().member("unseen", unseen).member("deletions", counts_.deletions);
    out.member("deletion_failures", counts_.deletion_failures).member("status_writes", counts_.statuses);
    out.member("status_failures", counts_.status_failures).member("status_message", counts_.status_message);
    write_held(out, held);
    out.key("held").begin_array();
    for (const auto& [name, scaler] : entries_) {
        if (!scaler.held.is_held() || ++written > max_held_listed) continue;
        out.begin_object().member("namespace", name.name_space).member("name", name.name);
        out.member("reason", hindrance_name(scaler.held.reason())).member("message", scaler.held.why()).end_object();
    }
    out.end_array().end_object();
}

}  // namespace gputide::kubernetes
