#include "kubernetes/controller/restoring.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "kubernetes/controller/comparison.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int32_t most_tries = 5;  // of one size; a good minute with what lies between them

endpoint finalizer_place(const object_key& key) { return kedas("scaledobjects").object(key, "patch"); }

// The list goes as a whole, with the version that it was read in: another's finalizer that came meanwhile is a 409.
api_request finalizer_patch(const object_key& key, const scaled_object& object, bool is_wanted,
                            std::int64_t timeout_ms) {
    std::vector<std::string> finalizers = object.finalizers;
    std::erase(finalizers, restore_finalizer);
    if (is_wanted) finalizers.emplace_back(restore_finalizer);
    json_writer body;
    body.begin_object().key("metadata").begin_object().member("resourceVersion", object.facts.resource_version);
    body.key("finalizers").begin_array();
    for (const std::string& one : finalizers) body.string(one);
    return merge_patch(finalizer_place(key), body.end_array().end_object().end_object().take(), timeout_ms);
}

bool wants_finalizer(const scaled_object& object) { return object.restores && !object.is_kedas; }

}  // namespace

void restorer::changed(const key& one) {
    const scaled_object* object = with_.scalers.find(one);
    const bool is_leaving = object != nullptr && object->facts.deleting && object->has_restore_finalizer();
    const bool is_at_rest =
        object == nullptr || object->facts.deleting || wants_finalizer(*object) == object->has_restore_finalizer();
    if (!is_leaving) {
        if (is_at_rest) works_.erase(one);
        return;
    }
    work& its = works_[one];
    if (std::exchange(its.is_leaving, true)) return;
    if (!is_under_way(its)) restore(one);
}

// What KEDA looks after is let go of by whoever scaled it before; what another gputide owns has its finalizer from that one.
void restorer::keep_finalizer(const key& one, const scaled_object& object) {
    const bool is_wanted = wants_finalizer(object);
    if (is_wanted == object.has_restore_finalizer() || (object.is_anothers(with_.settings.owner) && !object.is_kedas))
        return;
    // A deletion that the finalizer holds is worked off by what the status says.
    if (is_wanted && !object.status.original_replicas) return;
    const work& its = works_[one];
    if (is_under_way(its) || with_.loop->steady_ms() < its.not_before_ms) return;
    patch_finalizer(one, is_wanted);
}

void restorer::tick() {
    std::vector<key> due;
    for (const auto& [one, its] : works_) {
        if (its.is_leaving && !is_under_way(its) && with_.loop->steady_ms() >= its.not_before_ms) due.push_back(one);
    }
    for (const key& one : due) restore(one);
}

void restorer::end() {
    is_ending_ = true;
    for (auto& [one, its] : works_) its.step.cancel();
}

void restorer::restore(const key& one) {
    const scaled_object* object = with_.scalers.find(one);
    if (object == nullptr || is_ending_ || !with_.leads.may_write(one) || object->is_anothers(with_.settings.owner))
        return;
    const work& its = works_[one];
    if (its.is_over || object->is_kedas) return patch_finalizer(one, false);
    if (!object->status.original_replicas)
        return give_up(one, "its status says no originalReplicaCount: the right to write it was missing");
    if (!with_.rivals.is_known(one.name_space)) return restore_later(one, "whether an HPA scales it is not known");
    const target_reference& target = object->target;
    if (rival_of(with_.rivals, one, target) != nullptr) return give_up(one, "an HPA scales it");
    if (with_.finder->is_finding(target.api_version, target.kind)) return;  // tick() comes again
    with_.finder->find(target.api_version, target.kind,
                       [self = weak_from_this(), one, name = target.name,
                        size = *object->status.original_replicas](const result<resource>& found) {
                           const auto here = self.lock();
                           if (!here || here->is_ending_ || here->works_.count(one) == 0) return;
                           if (here->is_under_way(here->works_.at(one))) return;  // it was sought twice
                           if (!found) return here->restore_later(one, found.failure().message);
                           here->read_size(one, *found, name, size);
                       });
}

void restorer::read_size(const key& one, const resource& resource, const std::string& name, std::int32_t size) {
    const key target{one.name_space, name};
    api_request request;
    request.target = resource.scale(target, "get");
    const auto take = [self = weak_from_this(), one, resource, target, size,
                       place = request.target](const reply& reply) {
        const auto here = self.lock();
        if (!here || here->is_ending_ || here->works_.count(one) == 0) return;
        if (reply.verdict == verdict::missing) return here->give_up(one, "what it scaled is gone");
        const auto scale = kube::read_scale(reply.answer, place);
        if (!scale) return here->restore_later(one, scale.failure().message);
        if (scale->spec_replicas == size) return here->restored(one, size);
        here->write_size(one, resource, target, {scale->spec_replicas, size, scale->uid});
    };
    works_[one].step.begin(with_.api->send(request.target, always(request), take));
}

void restorer::write_size(const key& one, const resource& resource, const key& target, wanted_size wanted) {
    const std::int32_t size = wanted.to;
    write_guard guard;
    guard.may_write = [self = weak_from_this(), one] {
        const auto here = self.lock();
        return here && !here->is_ending_ && here->with_.leads.may_write(one);
    };
    guard.write_ms = with_.leads.write_ms();
    const auto begun = write_scale(with_.api, resource, target, std::move(wanted), std::move(guard),
                                   [self = weak_from_this(), one, size](const written& written) {
                                       if (const auto here = self.lock()) here->wrote_size(one, size, written);
                                   });
    works_[one].step.begin(begun);
}

void restorer::wrote_size(const key& one, std::int32_t size, const written& written) {
    with_.count(written);
    const auto at = works_.find(one);
    if (at == works_.end()) return;
    switch (written.result) {
        case write_result::applied:
            return restored(one, size);
        case write_result::held:
            return give_up(one, "what it scaled is gone");
        case write_result::no_lead:
        case write_result::late:
            at->second.step.end();
            return;  // the next leader's
        default:
            break;
    }
    restore_later(one, written.why.status == status::ok ? "its size changed meanwhile" : written.why.message);
}

void restorer::restored(const key& one, std::int32_t size) {
    const scaled_object* object = with_.scalers.find(one);
    if (object == nullptr) return;
    with_.announce(one, false, "ScaledObjectRestored",
                   format_text("{}/{} has its first size again: {}", object->target.kind, object->target.name, size));
    works_[one].is_over = true;
    patch_finalizer(one, false);
}

void restorer::restore_later(const key& one, const std::string& why) {
    const auto at = works_.find(one);
    if (at == works_.end()) return;
    work& its = at->second;
    if (++its.tries >= most_tries) return give_up(one, why);
    its.step.end();
    its.not_before_ms = with_.loop->steady_ms() + missing_patience_ms(its.tries);
}

// A size that cannot be restored does not hold the deletion for ever.
void restorer::give_up(const key& one, const std::string& why) {
    with_.announce(one, true, "RestoreFailed", "its first size was not restored: " + why);
    works_[one].is_over = true;
    patch_finalizer(one, false);
}

// The list of finalizers is read when its turn has come.
void restorer::patch_finalizer(const key& one, bool is_wanted) {
    if (!finalizer_request(one, is_wanted)) return works_[one].step.end();
    works_[one].step.begin(with_.api->send(
        finalizer_place(one),
        [self = weak_from_this(), one, is_wanted] {
            const auto here = self.lock();
            return here ? here->finalizer_request(one, is_wanted) : std::nullopt;
        },
        [self = weak_from_this(), one, is_wanted](const reply& reply) {
            if (const auto here = self.lock()) here->patched_finalizer(one, is_wanted, reply);
        }));
}

// Without the lead it is the next leader's, and without a version it could undo another's write.
std::optional<api_request> restorer::finalizer_request(const key& one, bool is_wanted) const {
    const scaled_object* object = with_.scalers.find(one);
    const bool is_due = object != nullptr && object->has_restore_finalizer() != is_wanted;
    if (!is_due || is_ending_ || !with_.leads.may_write(one) || object->facts.resource_version.empty())
        return std::nullopt;
    return finalizer_patch(one, *object, is_wanted, with_.leads.write_ms());
}

void restorer::patched_finalizer(const key& one, bool is_wanted, const reply& reply) {
    const auto at = works_.find(one);
    if (at == works_.end()) return;
    work& its = at->second;
    its.step.end();
    if (reply.verdict == verdict::unsent) return;  // tick() or the next decision comes to it again
    // A conflict comes again, changed; one that is gone needs nothing any more.
    const bool is_good =
        reply.verdict == verdict::good || reply.verdict == verdict::conflict || reply.verdict == verdict::missing;
    its.failures = is_good ? 0 : its.failures + 1;
    its.not_before_ms = with_.loop->steady_ms() + missing_patience_ms(std::max(its.failures, 1));
    if (its.failures != 1) return;
    with_.announce(one, true, its.is_leaving ? "RestoreFailed" : "RestoreNotKept",
                   format_text("{} cannot be {}{}: {}", restore_finalizer, is_wanted ? "set" : "removed",
                               is_wanted ? ", and restoreToOriginalReplicaCount not kept" : "", reply.why.message));
}

}  // namespace gputide::kubernetes
