// How what the scalers of a cluster scale is found and seen.
#include "base/format_text.hpp"
#include "kubernetes/controller/attached.hpp"

#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t contested_within_ms = 300'000;  // two foreign changes in that time: somebody scales it

}  // namespace

void attached_cluster::locate(const key& name, entry& scaler) {
    finder_->find(scaler.target.api_version, scaler.target.kind,
                  [self = weak_from_this(), name](const result<resource>& found) {
                      const auto here = self.lock();
                      if (!here || here->is_ending_) return;
                      const auto at = here->entries_.find(name);
                      if (at == here->entries_.end()) return;
                      entry& located = at->second;
                      if (!found) return here->hold(name, located, hindrance::unknown, found.failure().message);
                      if (located.held.trouble() == hindrance::unknown) here->hold(name, located, hindrance::none, {});
                      here->by_target_[{found->text(), here->target_of(name, located)}].insert(name);
                      here->watch_targets(*found, name.name_space);
                      located.where = *found;  // behind what may find no memory: without it tick() has it located again
                      here->observe(name, located);
                  });
}

void attached_cluster::unlink(const key& name, entry& scaler) {
    if (!scaler.where) return;
    const auto scaled = by_target_.find({scaler.where->text(), target_of(name, scaler)});
    if (scaled != by_target_.end()) scaled->second.erase(name);
    if (scaled != by_target_.end() && scaled->second.empty()) by_target_.erase(scaled);
    scaler.where.reset();
}

void attached_cluster::watch_targets(const resource& resource, const std::string& name_space) {
    auto& its = targets_[resource.text()];
    if (!its) {
        its = std::make_unique<collection<target_size>>(
            &read_target_size, [this, name = resource.text()](const key& target) { target_changed(name, target); });
    }
    const std::string space = settings_.namespaces.empty() ? std::string() : name_space;
    its->watch(api_, resource.collection(space), space);
}

void attached_cluster::target_changed(const std::string& resource, const key& target) {
    const auto scaled = by_target_.find({resource, target});
    if (scaled == by_target_.end()) return;
    for (const key& name : scaled->second) observe(name, entries_.at(name));
}

// What was seen of it, as far as that is known: not listed yet is not the same as not there.
void attached_cluster::observe(const key& name, entry& scaler) {
    if (scaler.id == 0 || !scaler.where) return;
    const auto& sizes = *targets_.at(scaler.where->text());
    const target_size* size = sizes.find(target_of(name, scaler));
    if (size != nullptr && !scaler.where->has_usual_size) return read_scale(name, scaler);
    if (size != nullptr) return observe_size(name, scaler, *size);
    if (!sizes.is_known(name.name_space)) return;
    scaler.is_scale_due = false;
    std::string why = sizes.unreadable_reason(target_of(name, scaler));
    why = why.empty() ? "is not there" : "cannot be read: " + why;
    why = format_text("{} {} {}", scaler.where->text(), scaler.target.name, why);
    hold(name, scaler, hindrance::no_target, why);
    decide::observation seen;
    seen.now_ms = loop_->wall_ms();
    seen.scale_readable = false;
    seen.scale_error = why;
    static_cast<void>(fleet_.observe(scaler.id, seen, {}));
}

void attached_cluster::observe_size(const key& name, entry& scaler, const target_size& size) {
    if (is_older(size.resource_version, scaler.own_version)) return;  // from before our write
    if (scaler.held.trouble() == hindrance::no_target) hold(name, scaler, hindrance::none, {});
    note_foreign(name, scaler, size.spec);
    decide::observation seen;
    seen.now_ms = loop_->wall_ms();
    seen.spec_replicas = size.spec;
    seen.status_replicas = size.status;
    seen.ready_replicas = size.ready;
    static_cast<void>(fleet_.observe(scaler.id, seen, {}));
}

// A custom resource keeps its size where its definition says, which its scale alone knows.  Nothing else tells of it while it rests:
// a read that failed is repeated, and a change during a read is one more to read.
void attached_cluster::read_scale(const key& name, entry& scaler) {
    scaler.is_scale_due = true;
    const std::int64_t now_ms = loop_->steady_ms();
    if (scaler.scale_read.is_under_way(now_ms) || now_ms < scaler.scale_not_before_ms) return;
    api_request request;
    request.target = scaler.where->scale(target_of(name, scaler), "get");
    auto begun = api_->send(request.target, always(request),
                            [self = weak_from_this(), name, target = request.target](const reply& reply) {
                                const auto here = self.lock();
                                if (!here || here->is_ending_) return;
                                const auto at = here->entries_.find(name);
                                if (at != here->entries_.end())
                                    here->scale_came(name, at->second, kube::read_scale(reply.answer, target));
                            });
    scaler.scale_read.begin(begun);
    scaler.is_scale_due = false;
}

void attached_cluster::scale_came(const key& name, entry& scaler, const result<kube::scale>& scale) {
    scaler.scale_read.end();
    if (!scale) {
        scaler.is_scale_due = true;  // tick() has it read again
        scaler.scale_not_before_ms = loop_->steady_ms() + missing_patience_ms(++scaler.scale_failures);
        return hold(name, scaler, hindrance::unseen, scale.failure().message);
    }
    scaler.scale_failures = 0;
    scaler.scale_not_before_ms = 0;
    if (scaler.held.trouble() == hindrance::unseen) hold(name, scaler, hindrance::none, {});
    target_size size;
    size.uid = scale->uid;
    size.resource_version = scale->resource_version;
    size.spec = scale->spec_replicas;
    size.status = scale->status_replicas;
    observe_size(name, scaler, size);
    if (scaler.is_scale_due) read_scale(name, scaler);
}

// Who scales it beside us is not always to be seen; that he does, is.  What an HPA writes that is seen tells of nobody else, and
// counts no more once that HPA is gone.
void attached_cluster::note_foreign(const key& name, entry& scaler, std::int32_t size) {
    const bool is_change = scaler.seen_size && *scaler.seen_size != size && scaler.own_size != size;
    scaler.seen_size = size;
    if (!scaler.first_size) scaler.first_size = size;
    if (settings_.shadow || !leads_->leads(name)) return scaler.foreign_ms.clear();
    forget_foreign(scaler);
    if (is_change && rival_of(*rivals_, name, scaler.target) == nullptr)
        scaler.foreign_ms.push_back(loop_->steady_ms());
}

void attached_cluster::forget_foreign(entry& scaler) const {
    const std::int64_t now_ms = loop_->steady_ms();
    std::erase_if(scaler.foreign_ms, [&](std::int64_t at) { return now_ms - at > contested_within_ms; });
}

}  // namespace gputide::kubernetes
