// What becomes of decisions: a write, where the lead is ours and nobody else scales; a comparison, in shadow.
#include "base/format_text.hpp"
#include "decide/trace/texts.hpp"
#include "kubernetes/controller/attached.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::size_t contesting_changes = 2;

// Whether the write has failed for a reason that the conditions should show.
bool is_failure(write_result what) {
    return what == write_result::refused || what == write_result::denied || what == write_result::held ||
           what == write_result::throttled || what == write_result::failed || what == write_result::conflict;
}

std::int64_t patience_after(const written& written, std::int32_t denials) {
    if (written.result == write_result::refused) return longest_patience_ms;
    if (written.result == write_result::denied) return missing_patience_ms(denials);
    return asked_patience_ms(written.why);
}

}  // namespace

void attached_cluster::decided(runtime::scaler_id id, const runtime::scaler& made) {
    const decide::policy& policy = made.policy();
    const decide::decision& decision = made.last_decision();
    fresh_decision fresh{id, decision, status_conditions(policy, decision), status_health(policy, made.state()), {},
                         {}, {}};
    if (decision.desired_replicas != decision.current_replicas) fresh.reason = decide::rescale_reason(policy, decision);
    if (decision.event != decide::event::none) fresh.event = decide::write_event_of(policy, made.state());
    for (const runtime::scaler::other_release& other : made.other_releases())
        fresh.others.emplace_back(other.name(), other.desired);
    const std::lock_guard hold(lock_);
    decisions_.push_back(std::move(fresh));
    if (!taker_.expired()) return;
    const auto baton = std::make_shared<const bool>(true);
    loop_->after(0, [self = weak_from_this(), baton] {
        if (const auto here = self.lock()) here->take_decisions();
    });
    taker_ = baton;
}

void attached_cluster::take_decisions() {
    std::vector<fresh_decision> taken;
    {
        const std::lock_guard hold(lock_);
        taken.swap(decisions_);
        taker_.reset();
    }
    for (fresh_decision& each : taken) take_decision(each);
}

void attached_cluster::take_decision(fresh_decision& fresh) {
    const auto named = by_id_.find(fresh.id);
    if (named == by_id_.end() || is_ending_) return;
    const key name = named->second;
    entry& scaler = entries_.at(name);
    scaler.conditions = std::move(fresh.conditions);
    scaler.health = std::move(fresh.health);
    if (fresh.decision.active) scaler.active_ms = fresh.decision.now_ms;
    const scaled_object* object = scalers_->find(name);
    if (object != nullptr && fresh.decision.error) texts_->doubt(*object);
    act(name, scaler, fresh);
    if (object == nullptr) return;
    if (!scaler.write.is_under_way(loop_->steady_ms()))
        write_status(name, scaler, *object);  // else once it is answered
    if (restorer_) restorer_->keep_finalizer(name, *object);
}

void attached_cluster::act(const key& name, entry& scaler, const fresh_decision& fresh) {
    const decide::decision& decision = fresh.decision;
    if (settings_.shadow) return compare(name, scaler, fresh);
    const bool wants_another = decision.desired_replicas != decision.current_replicas;
    if (!wants_another && scaler.held.trouble() != hindrance::contested && !scaler.waits_for_rivals) return;
    const std::int64_t now_ms = loop_->steady_ms();
    if (scaler.write.is_under_way(now_ms) || !leads_->leads(name) || now_ms < scaler.not_before_ms) return;
    if (scaler.held.is_anothers() || scaler.held.trouble() == hindrance::no_target) return;
    if (is_free(name, scaler) && wants_another) write(name, scaler, fresh);
}

// Whether nobody else scales it; holds it where somebody does.
bool attached_cluster::is_free(const key& name, entry& scaler) {
    scaler.waits_for_rivals = true;
    if (!rivals_->is_known(name.name_space)) {
        hold(name, scaler, hindrance::unseen,
             "whether an HPA scales it is not known: the watch of horizontalpodautoscalers has not come to a list");
        return false;
    }
    if (const std::string unknown = rivals_->unknown_in(name.name_space); !unknown.empty()) {
        hold(name, scaler, hindrance::unseen, "whether an HPA scales it is not known: " + unknown);
        return false;
    }
    scaler.waits_for_rivals = false;
    if (is_contested(name, scaler)) {
        std::string why =
            "somebody else scales it: remove its HPA, or pause its ScaledObject in KEDA and annotate it with "
            "gputide.io/owner: " +
            settings_.owner;
        if (awaits_hpa(scaler)) why = "it is KEDA's, or about to be, whose HPA has not come yet";
        hold(name, scaler, hindrance::contested, std::move(why));
        return false;
    }
    const hindrance trouble = scaler.held.trouble();
    if (trouble == hindrance::contested || trouble == hindrance::unseen) hold(name, scaler, hindrance::none, {});
    return true;
}

// An HPA on the same target scales it, KEDA's own among them, or is about to; and so does whoever changed it twice of late.
bool attached_cluster::is_contested(const key& name, entry& scaler) const {
    const bool has_rival = rival_of(*rivals_, name, scaler.target) != nullptr;
    if (has_rival) scaler.hpa_until_ms = 0;  // it has come, and its end will be seen
    forget_foreign(scaler);
    return has_rival || awaits_hpa(scaler) || scaler.foreign_ms.size() >= contesting_changes;
}

void attached_cluster::write(const key& name, entry& scaler, const fresh_decision& fresh) {
    const decide::decision& decision = fresh.decision;
    const auto& sizes = *targets_.at(scaler.where->text());
    const target_size* seen = sizes.find(target_of(name, scaler));
    if (seen == nullptr || !sizes.is_known(name.name_space) || !scalers_->is_known(name.name_space)) return;
    wanted_size wanted;
    wanted.from = decision.current_replicas;
    wanted.to = decision.desired_replicas;
    wanted.uid = seen->uid;
    const auto begun =
        write_scale(api_, *scaler.where, target_of(name, scaler), std::move(wanted), guard(name, scaler.manifest),
                    [self = weak_from_this(), name, fresh](const written& written) {
                        if (const auto here = self.lock()) here->wrote(name, fresh, written);
                    });
    scaler.write.begin(begun);
    scaler.own_size = decision.desired_replicas;  // its event may come before its answer
}

write_guard attached_cluster::guard(const key& name, std::size_t manifest) {
    write_guard out;
    out.may_write = [self = weak_from_this(), name] {
        const auto here = self.lock();
        return here && !here->is_ending_ && here->leads_->may_write(name);
    };
    out.is_wanted = [self = weak_from_this(), name, manifest] {
        const auto here = self.lock();
        return here && here->is_wanted(name, manifest);
    };
    out.write_ms = leads_->write_ms();
    return out;
}

// Between its beginning and its end a write may become another's business: the ScaledObject changes, or somebody else scales.
// manifest: as the write began.  By what the watch has brought, which may be before anything was made of it.
bool attached_cluster::is_wanted(const key& name, std::size_t manifest) {
    const auto at = entries_.find(name);
    const scaled_object* object = scalers_->find(name);
    if (at == entries_.end() || object == nullptr || object->facts.deleting || manifest_hash(*object) != manifest)
        return false;
    const holding& held = at->second.held;
    return !held.is_anothers() && held.trouble() != hindrance::no_target && !is_contested(name, at->second);
}

void attached_cluster::count(const written& written) {
    ++counts_.writes[static_cast<std::size_t>(written.result)];
    counts_.conflicts += static_cast<std::uint64_t>(written.conflicts);
    counts_.gets += static_cast<std::uint64_t>(written.gets);
    counts_.puts += static_cast<std::uint64_t>(written.puts);
}

// Recorded once a 200 has come while the lead was ours; a late one is the next leader's to read.
void attached_cluster::wrote(const key& name, const fresh_decision& fresh, const written& written) {
    const decide::decision& decision = fresh.decision;
    count(written);
    const auto at = entries_.find(name);
    if (at == entries_.end()) return;
    entry& scaler = at->second;
    scaler.write.end();
    scaler.denials = written.result == write_result::denied ? scaler.denials + 1 : 0;
    scaler.not_before_ms = loop_->steady_ms() + patience_after(written, scaler.denials);
    const bool applied = written.result == write_result::applied;
    if (applied) {
        scaler.own_version = written.resource_version;
        scaler.seen_size = decision.desired_replicas;
    }
    decide::decision recorded = decision;
    if (applied || is_failure(written.result))
        static_cast<void>(fleet_.record(scaler.id, recorded, applied, loop_->wall_ms(), written.why.message));
    note_refusal(scaler, recorded, written.why.message);
    note_write(name, scaler, decision, written);
    if (applied || is_failure(written.result)) announce_write(name, scaler, fresh, applied, written.why.message);
    if (written.result == write_result::changed && written.saw_size) see_changed(name, scaler, written);
}

// The status tells a refused write of KEDA's half until the next poll, as KEDA's does.
void attached_cluster::note_refusal(entry& scaler, const decide::decision& recorded, const std::string& error) {
    const decide::condition& ready = recorded.conditions[static_cast<std::size_t>(decide::condition_type::ready)];
    if (ready.reason != decide::reason::error_scaling_target || scaler.conditions.empty()) return;
    scaler.conditions.front() = {decide::condition_name(decide::condition_type::ready), decide::truth_name(ready.truth),
                                 decide::reason_name(ready.reason), decide::refused_write_text(recorded, error)};
}

// The read is newer than what the watch has brought: the next decision knows of it, whenever the watch does.
void attached_cluster::see_changed(const key& name, entry& scaler, const written& written) {
    target_size size;
    size.resource_version = written.resource_version;
    size.spec = written.size;
    size.status = -1;  // not told
    scaler.own_version = written.resource_version;
    observe_size(name, scaler, size);
}

// HPA.status is written on change alone, so that the value in force now is what it wants now.
void attached_cluster::compare(const key& name, entry& scaler, const fresh_decision& fresh) {
    const decide::decision& decision = fresh.decision;
    if (scaler.held.is_held() || !scaler.seen_size) return;
    const autoscaler* rival = rival_of(*rivals_, name, scaler.target);
    const bool wants_some = rival != nullptr && rival->desired && *scaler.seen_size > 0;
    compared_sizes sizes;
    sizes.ours = decision.desired_replicas;
    sizes.theirs = wants_some ? *rival->desired : *scaler.seen_size;
    sizes.theirs_counts = rival == nullptr || rival->is_active;
    if (!scaler.shadow.differs(sizes, decision.now_ms, settings_.sync_ms)) return;
    ++counts_.differences;
    note_difference(name, scaler, fresh, sizes,
                    rival != nullptr ? rival->reasons : "no HPA is there; this is its size");
}

// What the last decisions wanted comes again with the next ones.
void attached_cluster::lead_changed() {
    bool any = false;
    for (std::size_t shard = 0; shard < led_.size(); ++shard) {
        const bool leads = leads_->leads(static_cast<std::int32_t>(shard));
        if (led_[shard] == leads) continue;
        led_[shard] = leads;
        any = true;
        note_lead(static_cast<std::int32_t>(shard), leads);
    }
    if (any && settings_.shards > 1) changed_->mark_all();
    if (any) jobs_->lead_changed();
}

void attached_cluster::end(std::function<void()> done) {
    loop_->after(0, [self = shared_from_this(), done = std::move(done)] {
        self->is_ending_ = true;
        self->changed_->stop();
        self->scalers_->stop();
        self->rivals_->stop();
        self->jobs_->end();
        self->events_->end();
        self->texts_->stop();
        for (auto& [resource, sizes] : self->targets_) sizes->stop();
        self->version_answer_.cancel();
        self->loop_->cancel(std::exchange(self->tick_, 0));
        if (self->restorer_) self->restorer_->end();
        while (!self->entries_.empty()) self->drop(key(self->entries_.begin()->first));
        self->api_->drop_waiting();
        self->leads_ ? self->leads_->release(done) : done();
    });
}

}  // namespace gputide::kubernetes
