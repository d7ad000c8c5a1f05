// What becomes of decisions: a write, where the lead is ours and nobody else scales; a comparison, in shadow.
#include "base/format_text.hpp"
#include "decide/trace/texts.hpp"
#include "runtime/cluster/attached.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::int64_t patience_ms = 60'000;  // after a refusal that lasts until somebody changes something
constexpr std::size_t contesting_changes = 2;

// Whether the write has failed for a reason that the conditions should show.
bool is_failure(cluster::write_result what) {
    using cluster::write_result;
    return what == write_result::refused || what == write_result::denied || what == write_result::held ||
           what == write_result::throttled || what == write_result::failed || what == write_result::conflict;
}

std::int64_t patience_after(const cluster::written& got, std::int32_t denials) {
    using cluster::write_result;
    if (got.result == write_result::refused) return patience_ms;
    if (got.result == write_result::denied) return cluster::missing_patience_ms(denials);
    return got.why.retry_after_ms;
}

}  // namespace

void attached_cluster::decided(scaler_id id, const decide::policy& by, const decide::state& state,
                               const decide::decision& decision) {
    fresh_decision fresh{id, decision, status_conditions(by, decision), status_health(by, state), {}};
    if (decision.desired_replicas != decision.current_replicas) fresh.reason = decide::rescale_reason(by, decision);
    const std::lock_guard hold(lock_);
    decisions_.push_back(std::move(fresh));
    if (decisions_.size() > 1) return;
    loop_->after(0, [self = weak_from_this()] {
        const auto here = self.lock();
        if (!here) return;
        std::vector<fresh_decision> taken;
        {
            const std::lock_guard held(here->lock_);
            taken.swap(here->decisions_);
        }
        for (fresh_decision& one : taken) here->take_decision(one);
    });
}

void attached_cluster::take_decision(fresh_decision& fresh) {
    const auto named = by_id_.find(fresh.id);
    if (named == by_id_.end() || is_ending_) return;
    const key one = named->second;
    entry& its = entries_.at(one);
    its.conditions = std::move(fresh.conditions);
    its.health = std::move(fresh.health);
    if (fresh.decision.active) its.active_ms = fresh.decision.now_ms;
    const cluster::scaled_object* object = scalers_->find(one);
    if (object != nullptr && fresh.decision.error) texts_->doubt(*object);
    act(one, its, fresh);
    if (object != nullptr) tell_status(one, its, *object);
}

void attached_cluster::act(const key& one, entry& its, const fresh_decision& made) {
    const decide::decision& decision = made.decision;
    if (settings_.shadow) return compare(one, its, decision);
    if (decision.desired_replicas == decision.current_replicas || its.is_writing) return;
    if (!leads_->leads(one) || loop_->steady_ms() < its.not_before_ms) return;
    if (its.held_by == hindrance::not_owner || its.held_by == hindrance::no_target) return;
    if (!rivals_->is_known(one.name_space)) {
        return hold(one, its, hindrance::unseen,
                    "whether an HPA scales it is not known: the watch of horizontalpodautoscalers has "
                    "not come to a list");
    }
    if (is_contested(one, its)) {
        return hold(one, its, hindrance::contested,
                    "somebody else scales it: remove its HPA, or pause its ScaledObject in KEDA and "
                    "annotate it with gputide.io/owner: " +
                        settings_.owner);
    }
    const bool was_seen_so = its.held_by == hindrance::contested || its.held_by == hindrance::unseen;
    if (was_seen_so) hold(one, its, hindrance::none, {});
    write(one, its, made);
}

// An HPA on the same target scales it, KEDA's own among them; and so does whoever changed it twice of late.
bool attached_cluster::is_contested(const key& one, const entry& of) const {
    return rival_of(one, of) != nullptr || of.foreign_ms.size() >= contesting_changes;
}

const cluster::autoscaler* attached_cluster::rival_of(const key& one, const entry& of) const {
    const auto scales_it = [&](const cluster::autoscaler& rival) {
        return rival.target.name == of.target.name && rival.target.kind == of.target.kind &&
               source::kubernetes::group_of(rival.target.api_version) ==
                   source::kubernetes::group_of(of.target.api_version);
    };
    const cluster::autoscaler* usual = rivals_->find({one.name_space, "keda-hpa-" + one.name});
    if (usual != nullptr && scales_it(*usual)) return usual;
    const cluster::autoscaler* out = nullptr;
    rivals_->each([&](const key& its, const cluster::autoscaler& rival) {
        if (its.name_space == one.name_space && scales_it(rival)) out = &rival;
    });
    return out;
}

void attached_cluster::write(const key& one, entry& into, const fresh_decision& made) {
    const decide::decision& decision = made.decision;
    const auto& sizes = *targets_.at(into.where->text());
    const cluster::target_size* seen = sizes.find(target_of(one, into));
    if (seen == nullptr || !sizes.is_known(one.name_space) || !scalers_->is_known(one.name_space)) return;
    into.is_writing = true;
    into.own_size = decision.desired_replicas;  // its event may come before its answer
    cluster::wanted_size wanted;
    wanted.from = decision.current_replicas;
    wanted.to = decision.desired_replicas;
    wanted.uid = seen->uid;
    cluster::write_guard guard;
    guard.may_write = [self = weak_from_this(), one] {
        const auto here = self.lock();
        return here && !here->is_ending_ && here->leads_->may_write(one);
    };
    guard.write_ms = leads_->write_ms();
    into.under_way = cluster::write_scale(api_, *into.where, target_of(one, into), std::move(wanted), std::move(guard),
                                          [self = weak_from_this(), one, made](const cluster::written& got) {
                                              if (const auto here = self.lock()) here->wrote(one, made, got);
                                          });
}

// Recorded once a 200 has come while the lead was ours; a late one is the next leader's to read.
void attached_cluster::wrote(const key& one, const fresh_decision& made, const cluster::written& got) {
    const decide::decision& decision = made.decision;
    ++counts_.writes[static_cast<std::size_t>(got.result)];
    counts_.conflicts += static_cast<std::uint64_t>(got.conflicts);
    counts_.gets += static_cast<std::uint64_t>(got.gets);
    counts_.puts += static_cast<std::uint64_t>(got.puts);
    const auto at = entries_.find(one);
    if (at == entries_.end()) return;
    entry& its = at->second;
    its.is_writing = false;
    its.denials = got.result == cluster::write_result::denied ? its.denials + 1 : 0;
    its.not_before_ms = loop_->steady_ms() + patience_after(got, its.denials);
    const bool applied = got.result == cluster::write_result::applied;
    if (applied) {
        its.own_version = got.resource_version;
        its.seen_size = decision.desired_replicas;
    }
    decide::decision recorded = decision;
    if (applied || is_failure(got.result))
        static_cast<void>(fleet_.record(its.id, recorded, applied, loop_->wall_ms()));
    note_write(one, its, decision, got);
    if (applied || is_failure(got.result)) announce_write(one, its, made, applied, got.why.message);
    if (got.result == cluster::write_result::changed && got.saw_size) see_changed(one, its, got);
}

// The read is newer than what the watch has brought: the next decision knows of it, whenever the watch does.
void attached_cluster::see_changed(const key& one, entry& into, const cluster::written& got) {
    cluster::target_size size;
    size.resource_version = got.resource_version;
    size.spec = got.size;
    size.status = -1;  // not told
    into.own_version = got.resource_version;
    observe_size(one, into, size);
}

// HPA.status is written on change alone, so that the value in force now is what it wants now.
void attached_cluster::compare(const key& one, entry& into, const decide::decision& decision) {
    if (into.held_by != hindrance::none || !into.seen_size) return;
    const cluster::autoscaler* rival = rival_of(one, into);
    const bool wants_some = rival != nullptr && rival->desired && *into.seen_size > 0;
    compared_sizes sizes;
    sizes.ours = decision.desired_replicas;
    sizes.theirs = wants_some ? *rival->desired : *into.seen_size;
    sizes.theirs_counts = rival == nullptr || rival->is_active;
    if (!into.shadow.differs(sizes, decision.now_ms, settings_.sync_ms)) return;
    ++counts_.differences;
    note_difference(one, into, decision, sizes,
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
    if (any && settings_.shards > 1) mark_all();
}

void attached_cluster::end(std::function<void()> done) {
    loop_->after(0, [self = shared_from_this(), done = std::move(done)] {
        self->is_ending_ = true;
        self->scalers_->stop();
        self->rivals_->stop();
        self->texts_->stop();
        for (auto& [name, one] : self->targets_) one->stop();
        self->loop_->cancel(std::exchange(self->tick_, 0));
        while (!self->entries_.empty()) self->drop(key(self->entries_.begin()->first));
        self->leads_ ? self->leads_->release(done) : done();
    });
}

}  // namespace gputide::runtime
