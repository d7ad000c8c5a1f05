// Restores the original sizes of deleted ScaledObjects.
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "kubernetes/controller/object_scaler.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int32_t max_tries = 5;  // per size; with the delays between them a little more than a minute

endpoint finalizer_endpoint(const object_key& name) { return kedas("scaledobjects").object(name, "patch"); }

// Returns a patch of the whole list of finalizers with the resourceVersion of its read, so that a concurrent change causes a 409.
api_request finalizer_patch(const object_key& name, const scaled_object& object, bool is_wanted,
                            std::int64_t timeout_ms) {
    std::vector<std::string> finalizers = object.finalizers;
    std::erase(finalizers, restore_finalizer);
    if (is_wanted) finalizers.emplace_back(restore_finalizer);
    json_writer body;
    body.begin_object().key("metadata").begin_object().member("resourceVersion", object.facts.resource_version);
    body.key("finalizers").begin_array();
    for (const std::string& finalizer : finalizers) body.string(finalizer);
    return merge_patch(finalizer_endpoint(name), body.end_array().end_object().end_object().take(), timeout_ms);
}

bool wants_finalizer(const scaled_object& object) { return object.restores && !object.is_kedas; }

}  // namespace

void restorer::changed(const key& name) {
    const scaled_object* object = all_.objects().find(name);
    const bool is_leaving = object != nullptr && object->facts.deleting && object->has_restore_finalizer();
    const bool is_at_rest =
        object == nullptr || object->facts.deleting || wants_finalizer(*object) == object->has_restore_finalizer();
    if (!is_leaving) {
        if (is_at_rest) tasks_.erase(name);
        return;
    }
    restoring& task = tasks_[name];
    if (std::exchange(task.is_leaving, true)) return;
    if (!task.step.work.is_under_way(with_.now_ms())) restore(name);
}

// Sets or removes the finalizer.  Removes it also from an object that KEDA has taken over.  Leaves the objects of another gputide
// to that gputide.
void restorer::keep_finalizer(const key& name, const scaled_object& object) {
    const bool is_wanted = wants_finalizer(object);
    if (is_wanted == object.has_restore_finalizer() || (object.is_anothers(with_.settings.owner) && !object.is_kedas))
        return;
    // Without originalReplicaCount in the status the deletion could restore nothing.
    if (is_wanted && !object.status.original_replicas) return;
    if (tasks_[name].step.may_begin(with_.now_ms())) patch_finalizer(name, is_wanted);
}

void restorer::tick() {
    std::vector<key> due;
    for (const auto& [name, task] : tasks_) {
        if (task.is_leaving && task.step.may_begin(with_.now_ms())) due.push_back(name);
    }
    for (const key& name : due) restore(name);
}

void restorer::end() {
    is_ending_ = true;
    for (auto& [name, task] : tasks_) task.step.work.cancel();
}

void restorer::restore(const key& name) {
    const scaled_object* object = all_.objects().find(name);
    if (object == nullptr || is_ending_ || !with_.may_write(name) || object->is_anothers(with_.settings.owner)) return;
    if (tasks_[name].is_over || object->is_kedas) return patch_finalizer(name, false);
    if (!object->status.original_replicas)
        return give_up(name,
                       "its status has no originalReplicaCount, because the right to write the status was missing");
    if (!all_.rivals().is_known(name.name_space)) return restore_later(name, "it is unknown whether an HPA scales it");
    if (const std::string unknown = all_.rivals().unknown_in(name.name_space); !unknown.empty())
        return restore_later(name, "it is unknown whether an HPA scales it: " + unknown);
    const target_reference& target = object->target;
    if (all_.rival_of(name, target) != nullptr) return give_up(name, "an HPA scales it");
    if (with_.finder->is_finding(target.api_version, target.kind)) return;  // tick() tries again
    with_.finder->find(target.api_version, target.kind,
                       while_alive(*this, [name, target = target.name, size = *object->status.original_replicas](
                                              restorer& here, const result<resource>& resource) {
                           here.found(name, resource, target, size);
                       }));
}

// Writes the size whatever the current one is: no decision has seen it.
void restorer::found(const key& name, const result<resource>& resource, const std::string& target, std::int32_t size) {
    const auto at = tasks_.find(name);
    if (is_ending_ || at == tasks_.end()) return;
    if (at->second.step.work.is_under_way(with_.now_ms())) return;  // an earlier find() was faster
    if (!resource) return restore_later(name, resource.failure().message);
    wanted_size wanted;
    wanted.to = size;
    write_guard guard;
    guard.may_write =
        while_alive(*this, [name](const restorer& here) { return !here.is_ending_ && here.with_.may_write(name); });
    guard.write_ms = with_.leads->write_ms();
    at->second.step.work.begin(write_scale(
        with_.api, *resource, {name.name_space, target}, std::move(wanted), std::move(guard),
        while_alive(*this,
                    [name, size](restorer& here, const written& written) { here.wrote_size(name, size, written); })));
}

void restorer::wrote_size(const key& name, std::int32_t size, const written& written) {
    all_.count(written);
    const auto at = tasks_.find(name);
    if (at == tasks_.end()) return;
    switch (written.result) {
        case write_result::applied:
            return restored(name, size);
        case write_result::held:
            return give_up(name, "its target does not exist any more");
        case write_result::no_lead:
        case write_result::late:
            at->second.step.work.end();
            return;  // the next leader restores the size
        default:
            break;
    }
    restore_later(name, written.why.status == status::ok ? "its size changed meanwhile" : written.why.message);
}

void restorer::restored(const key& name, std::int32_t size) {
    const scaled_object* object = all_.objects().find(name);
    if (object == nullptr) return;
    all_.announce(name, false, "ScaledObjectRestored",
                  format_text("{}/{} has its original size again: {}", object->target.kind, object->target.name, size));
    tasks_[name].is_over = true;
    patch_finalizer(name, false);
}

void restorer::restore_later(const key& name, std::string_view why) {
    const auto at = tasks_.find(name);
    if (at == tasks_.end()) return;
    restoring& task = at->second;
    if (++task.tries >= max_tries) return give_up(name, why);
    task.step.work.end();
    task.step.not_before_ms = with_.now_ms() + retry_delay_ms(task.tries);
}

// Ends without a restored size, so that the deletion is not delayed forever.
void restorer::give_up(const key& name, std::string_view why) {
    all_.announce(name, true, "RestoreFailed", format_text("its original size was not restored: {}", why));
    tasks_[name].is_over = true;
    patch_finalizer(name, false);
}

// Sends a patch of the finalizers, which is created when its turn has come.
void restorer::patch_finalizer(const key& name, bool is_wanted) {
    awaited& step = tasks_[name].step.work;
    if (!finalizer_request(name, is_wanted)) return step.end();
    step.begin(with_.api->send(
        finalizer_endpoint(name),
        while_alive(*this, [name, is_wanted](const restorer& here) { return here.finalizer_request(name, is_wanted); }),
        while_alive(*this, [name, is_wanted](restorer& here, const reply& reply) {
            here.patched_finalizer(name, is_wanted, reply);
        })));
}

// Returns no request if another instance is leader, or without a resourceVersion, because the patch could undo a concurrent
// write.
std::optional<api_request> restorer::finalizer_request(const key& name, bool is_wanted) const {
    const scaled_object* object = all_.objects().find(name);
    const bool is_due = object != nullptr && object->has_restore_finalizer() != is_wanted;
    if (!is_due || is_ending_ || !with_.may_write(name) || object->facts.resource_version.empty()) return std::nullopt;
    return finalizer_patch(name, *object, is_wanted, with_.leads->write_ms());
}

void restorer::patched_finalizer(const key& name, bool is_wanted, const reply& reply) {
    const auto at = tasks_.find(name);
    if (at == tasks_.end()) return;
    restoring& task = at->second;
    task.step.work.end();
    if (reply.verdict == verdict::unsent) return;  // tick() or the next decision tries again
    // After a conflict the watch reports the changed object; a deleted object needs no patch.
    const bool is_good =
        reply.verdict == verdict::good || reply.verdict == verdict::conflict || reply.verdict == verdict::missing;
    task.step.ended(is_good, with_.now_ms(), retry_delay_ms(1));
    if (task.step.failures != 1) return;
    all_.announce(name, true, task.is_leaving ? "RestoreFailed" : "RestoreNotKept",
                  format_text("{} cannot be {}{}: {}", restore_finalizer, is_wanted ? "set" : "removed",
                              is_wanted ? ", so restoreToOriginalReplicaCount has no effect" : "", reply.why.message));
}

}  // namespace gputide::kubernetes
