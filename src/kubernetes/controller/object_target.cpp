// Finds and observes the target of a ScaledObject, and carries out decisions: writes the replicas if this process is leader and no
// other controller scales the target.  In shadow mode it only compares.
#include "base/format_text.hpp"
#include "decide/trace/texts.hpp"
#include "kubernetes/controller/object_scaler.hpp"

#include <algorithm>

namespace gputide::kubernetes {

namespace {

constexpr std::int64_t contested_within_ms = 300'000;  // changes by another controller count for this time

}  // namespace

void object_scaler::locate() {
    with().finder->find(target_.api_version, target_.kind,
                        while_alive(*this, [target = target_](object_scaler& here, const result<resource>& found) {
                            // Otherwise the result is for an earlier target.
                            if (here.target_ == target) here.located(found);
                        }));
}

void object_scaler::located(const result<resource>& found) {
    if (is_stopped_) return;
    if (!found) return set_problem(block_reason::unknown, found.failure().message);
    end_problem(block_reason::unknown);
    all_.watch_target(*found, target_key(), name_);
    resource_ = *found;  // last: if the lines above run out of memory, tick() calls locate() again
    observe();
}

void object_scaler::unlink() {
    if (resource_) all_.forget_target(*resource_, target_key(), name_);
    resource_.reset();
}

// Passes the target's size to the scaler host.  Reports a missing target only if the list is complete.
void object_scaler::observe() {
    if (id_ == 0 || !resource_) return;
    const store<target_size>& sizes = all_.sizes(*resource_);
    const target_size* size = sizes.find(target_key());
    if (size != nullptr && !resource_->has_usual_size()) return read_scale();
    if (size != nullptr) return observe_size(*size);
    if (!sizes.is_known(name_.name_space)) return;
    is_scale_due_ = false;
    std::string why = sizes.unreadable_reason(target_key());
    why = why.empty() ? "is not there" : "cannot be read: " + why;
    why = format_text("{} {} {}", resource_->text(), target_.name, why);
    set_problem(block_reason::no_target, why);
    decide::observation observation;
    observation.now_ms = with().loop->wall_ms();
    observation.scale_readable = false;
    observation.scale_error = why;
    static_cast<void>(with().scalers.observe(id_, observation, {}));
}

void object_scaler::observe_size(const target_size& size) {
    if (is_older(size.resource_version, own_version_)) return;  // older than our write
    end_problem(block_reason::no_target);
    note_foreign(size.spec);
    decide::observation observation;
    observation.now_ms = with().loop->wall_ms();
    observation.spec_replicas = size.spec;
    observation.status_replicas = size.status;
    observation.ready_replicas = size.ready;
    observe_capacity(size, observation);
    static_cast<void>(with().scalers.observe(id_, observation, {}));
}

// Reads the scale of a custom resource: only its scale subresource shows the size.  If a read fails, tick() repeats it, because
// an unchanged object causes no callback.  After a change during a read the scale is read once more.
void object_scaler::read_scale() {
    is_scale_due_ = true;
    if (!scale_read_.may_begin(with().now_ms())) return;
    api_request request;
    request.target = resource_->scale(target_key(), "get");
    scale_read_.work.begin(with().api->send(
        request, while_alive(*this, [target = request.target](object_scaler& here, const reply& reply) {
            if (!here.is_stopped_) here.scale_came(kube::read_scale(reply.answer, target));
        })));
    is_scale_due_ = false;
}

void object_scaler::scale_came(const result<kube::scale>& scale) {
    scale_read_.work.end();
    if (!scale) {
        is_scale_due_ = true;  // tick() reads it again
        scale_read_.ended(false, with().now_ms());
        return set_problem(block_reason::unseen, scale.failure().message);
    }
    scale_read_.ended(true, 0);
    end_problem(block_reason::unseen);
    target_size size;
    size.uid = scale->uid;
    size.resource_version = scale->resource_version;
    size.spec = scale->spec_replicas;
    size.status = scale->status_replicas;
    observe_size(size);
    if (is_scale_due_) read_scale();
}

// Records a size change by another controller, which is not always visible itself.  Changes by a visible HPA do not count, and
// are not held against the scaler when that HPA is deleted.
void object_scaler::note_foreign(std::int32_t size) {
    const bool is_change = seen_size_ && *seen_size_ != size && own_size_ != size;
    seen_size_ = size;
    if (!first_size_) first_size_ = size;
    if (!with().is_leader(name_)) return foreign_ms_.clear();
    forget_foreign();
    if (is_change && all_.rival_of(name_, target_) == nullptr) foreign_ms_.push_back(with().now_ms());
}

void object_scaler::forget_foreign() {
    const std::int64_t now_ms = with().now_ms();
    std::erase_if(foreign_ms_, [&](std::int64_t at_ms) { return now_ms - at_ms > contested_within_ms; });
}

// Notes whether the pods of the target can have nodes, for the observation, the status and events.

namespace {

constexpr std::int64_t waits_long_ms = 15'000;  // most pods have a node by then, and nothing needs to be read

}  // namespace

bool object_scaler::awaits_pods() const {
    if (id_ == 0 || awaits_pods_since_ms_ == 0) return false;
    return with().now_ms() - awaits_pods_since_ms_ >= waits_long_ms && with().acts_on(name_);
}

void object_scaler::take_shortages(const shortages& found) {
    const auto at = found.find({name_.name_space, target_.kind, target_.name});
    shortage own = at != found.end() && awaits_pods() ? at->second : shortage();
    // A rollout has more pods than the size; without a node for these no replica is missing.
    const std::int32_t surge = std::max(0, target_pods_ - seen_size_.value_or(target_pods_));
    // A ready pod has a node: the list of pods may be older than the size.
    const std::int32_t waiting = std::max(0, target_pods_ - ready_pods_ - surge);
    own.pods = std::clamp(own.pods - surge, 0, waiting);
    own.late = std::clamp(own.late - surge, 0, waiting);
    const bool was_short = lacks_nodes();
    const target_capacity::rules rules{with().settings.asks_back && !with().settings.shadow, with().settings.start_ms};
    if (!capacity_.take(own, target_pods_ - surge, with().loop->wall_ms(), rules)) return;
    observe();
    if (!was_short && lacks_nodes()) announce(true, "NoCapacity", capacity_text());
}

// Runs once a second: ends a reduction that is due, and drops the shortage unless this process leads or runs in shadow mode.
void object_scaler::keep_capacity() {
    const bool lacked = lacks_nodes();
    if (!lacked && awaits_pods_since_ms_ == 0) return;  // nothing is kept
    const bool acts = with().acts_on(name_);
    if (!acts) capacity_ = {};
    if (!lacked) return;
    if (!acts || capacity_.end_due(with().loop->wall_ms())) observe();
}

void object_scaler::observe_capacity(const target_size& size, decide::observation& into) {
    if (size.ready >= 0) {  // else it is not known, as after a write of another controller
        const bool is_enough = size.ready >= size.spec;
        if (is_enough) awaits_pods_since_ms_ = 0;
        // More ready replicas than could start: nodes came.  A rollout's surge proves nothing.
        const bool has_nodes = lacks_nodes() && std::min(size.ready, size.spec) > capacity_.startable();
        if (has_nodes || (is_enough && !capacity_.is_asked_back())) capacity_ = {};
        if (!is_enough && awaits_pods_since_ms_ == 0) awaits_pods_since_ms_ = with().now_ms();
        target_pods_ = size.status;
        ready_pods_ = size.ready;
    }
    if (!lacks_nodes()) return;
    into.startable_replicas = capacity_.startable();
    into.asks_back = capacity_.is_asked_back();
    into.no_capacity = capacity_.why();
}

std::string object_scaler::capacity_text() const {
    if (capacity_.is_asked_back())
        return format_text("replicas above {} get no node and are not requested: {}", capacity_.startable(),
                           capacity_.why());
    return format_text("{} of {} replicas can start: {}", capacity_.startable(), seen_size_.value_or(0),
                       capacity_.why());
}

void object_scaler::describe_capacity(json_writer& out) const {
    out.begin_object().member("namespace", name_.name_space).member("name", name_.name);
    out.member("startable_replicas", capacity_.startable()).member("until_ms", capacity_.until_ms());
    out.member("message", capacity_text()).end_object();
}

// ---- carrying out decisions

const autoscaler* rival_of(const store<autoscaler>& rivals, const object_key& key, const target_reference& target) {
    const autoscaler* usual = rivals.find({key.name_space, "keda-hpa-" + key.name});
    if (usual != nullptr && is_same_target(usual->target, target)) return usual;
    const autoscaler* out = nullptr;
    rivals.each([&](const object_key& its, const autoscaler& rival) {
        if (its.name_space == key.name_space && is_same_target(rival.target, target)) out = &rival;
    });
    return out;
}

bool comparison::differs(const compared_sizes& sizes, std::int64_t now_ms, std::int64_t sync_ms) {
    if (!sizes.theirs_counts) return false;
    if (compared_++ == 0) first_ms_ = now_ms;
    const bool may_be_a_window = sizes.ours < sizes.theirs && now_ms - first_ms_ < longest_window_ms;
    if (sizes.ours == sizes.theirs || may_be_a_window) {
        since_ms_.reset();
        is_reported_ = false;
        return false;
    }
    if (!since_ms_) since_ms_ = now_ms;
    if (is_reported_ || now_ms - *since_ms_ <= sync_ms) return false;
    is_reported_ = true;
    return true;
}

namespace {

// Tells whether the conditions should show this result as a failure.
bool is_failure(write_result result) {
    return result == write_result::refused || result == write_result::denied || result == write_result::held ||
           result == write_result::throttled || result == write_result::failed || result == write_result::conflict;
}

}  // namespace

void object_scaler::carry_out(fresh_decision& fresh) {
    if (is_stopped_) return;
    conditions_ = std::move(fresh.conditions);
    health_ = std::move(fresh.health);
    if (fresh.decision.active) active_ms_ = fresh.decision.now_ms;
    const scaled_object* here = object();
    if (here != nullptr && fresh.decision.error) with().texts->doubt(*here);
    act(fresh);
    if (!write_.work.is_under_way(with().now_ms())) write_status();  // otherwise after the response
    keep_finalizer();
}

void object_scaler::act(const fresh_decision& fresh) {
    const decide::decision& decision = fresh.decision;
    if (with().settings.shadow) return compare(fresh);
    const bool wants_another = decision.desired_replicas != decision.current_replicas;
    if (!wants_another && block_.problem() != block_reason::contested && !waits_for_rivals_) return;
    if (!write_.may_begin(with().now_ms()) || !with().is_leader(name_)) return;
    if (block_.has_other_owner() || block_.problem() == block_reason::no_target) return;
    if (is_free() && wants_another) write(fresh);
}

void object_scaler::write(const fresh_decision& fresh) {
    const decide::decision& decision = fresh.decision;
    const store<target_size>& sizes = all_.sizes(*resource_);
    const target_size* seen = sizes.find(target_key());
    if (seen == nullptr || !sizes.is_known(name_.name_space) || !of_.objects().is_known(name_.name_space)) return;
    wanted_size wanted;
    wanted.from = decision.current_replicas;
    wanted.to = decision.desired_replicas;
    wanted.uid = seen->uid;
    write_guard guard = this->guard();
    guard.is_wanted =
        while_alive(*this, [manifest = marks_.manifest](object_scaler& here) { return here.is_wanted(manifest); });
    write_.work.begin(write_scale(
        with().api, *resource_, target_key(), std::move(wanted), std::move(guard),
        while_alive(*this, [fresh](object_scaler& here, const written& written) { here.wrote(fresh, written); })));
    own_size_ = decision.desired_replicas;  // the watch may report the write before its response arrives
}

// Tells whether a write in progress is still valid: the ScaledObject may change, or its target may become contested.  manifest:
// hash at the start of the write.  Uses the watched object, which may not be reconciled yet.
bool object_scaler::is_wanted(std::size_t manifest) {
    const scaled_object* here = object();
    if (here == nullptr || here->facts.deleting || manifest_hash(*here) != manifest) return false;
    return !block_.has_other_owner() && block_.problem() != block_reason::no_target && !is_contested();
}

// Handles the result of a write.  Records it only if this process was still leader; the next leader reads the size itself.
void object_scaler::wrote(const fresh_decision& fresh, const written& written) {
    const decide::decision& decision = fresh.decision;
    all_.count(written);
    write_.work.end();
    write_.wrote(written.result, written.why, with().now_ms());
    const bool is_applied = written.result == write_result::applied;
    if (is_applied) {
        own_version_ = written.resource_version;
        seen_size_ = decision.desired_replicas;
    }
    const bool is_over = is_applied || is_failure(written.result);
    decide::decision recorded = decision;
    if (is_over)
        static_cast<void>(
            with().scalers.record(id_, recorded, is_applied, with().loop->wall_ms(), written.why.message));
    note_refusal(recorded, written.why.message);
    note_write(decision, written);
    if (is_over) announce_write(fresh, is_applied, written.why.message);
    if (written.result == write_result::changed && written.saw_size) see_changed(written);
}

// Shows a refused write of KEDA's half in the status until the next poll, as KEDA does.
void object_scaler::note_refusal(const decide::decision& recorded, const std::string& error) {
    const decide::condition& ready = recorded.conditions[static_cast<std::size_t>(decide::condition_type::ready)];
    if (ready.reason != decide::reason::error_scaling_target || conditions_.empty()) return;
    conditions_.front() = {decide::condition_name(decide::condition_type::ready), decide::truth_name(ready.truth),
                           decide::reason_name(ready.reason), decide::refused_write_text(recorded, error)};
}

// Observes the size that the write has read, because it is newer than the watched one.
void object_scaler::see_changed(const written& written) {
    target_size size;
    size.resource_version = written.resource_version;
    size.spec = written.size;
    size.status = -1;  // unknown
    own_version_ = written.resource_version;
    observe_size(size);
}

// Compares the decision with the HPA's size.  The HPA writes its status only when it changes, so the stored value is the current
// one.
void object_scaler::compare(const fresh_decision& fresh) {
    const decide::decision& decision = fresh.decision;
    if (block_.is_blocked() || !seen_size_) return;
    const autoscaler* rival = all_.rival_of(name_, target_);
    const bool wants_some = rival != nullptr && rival->desired && *seen_size_ > 0;
    compared_sizes sizes;
    sizes.ours = decision.desired_replicas;
    sizes.theirs = wants_some ? *rival->desired : *seen_size_;
    sizes.theirs_counts = rival == nullptr || rival->is_active;
    if (!shadow_.differs(sizes, decision.now_ms, with().settings.sync_ms)) return;
    ++all_.writes.differences;
    note_difference(fresh, sizes, rival != nullptr ? rival->reasons : "no HPA exists; this is the target's size");
}

// Sends KEDA's event if KEDA's executor would send one, otherwise the HPA controller's event of a rescale.
void object_scaler::announce_write(const fresh_decision& fresh, bool is_applied, const std::string& error) const {
    const decide::decision& decision = fresh.decision;
    if (decision.event != decide::event::none) {
        decide::decision carried_out = decision;
        carried_out.event = decide::event_of_write(decision.event, is_applied);
        decide::write_event write = fresh.event;
        const std::string kind = resource_ ? resource_->kind_text() : target_.kind;
        write.target = format_text("{} {}", kind, target_key().text());
        write.error = error;
        announce(!is_applied, decide::event_name(carried_out.event), decide::event_message(carried_out, write));
        return;
    }
    std::string message = format_text("New size: {}; reason: {}", decision.desired_replicas, fresh.reason);
    if (!is_applied) message += "; error: " + error;
    announce(!is_applied, is_applied ? "SuccessfulRescale" : "FailedRescale", std::move(message));
}

void object_scaler::note_write(const decide::decision& decision, const written& written) const {
    json_writer out = begin_note("write");
    out.member("target", target_text()).member("from", decision.current_replicas);
    out.member("to", decision.desired_replicas).member("result", write_result_name(written.result));
    out.member("conflicts", written.conflicts).member("message", written.why.message);
    note(out);
}

void object_scaler::note_difference(const fresh_decision& fresh, const compared_sizes& sizes,
                                    const std::string& their_reason) const {
    const decide::decision& decision = fresh.decision;
    const auto explains =
        std::ranges::find_if(fresh.others, [&](const auto& other) { return other.second == sizes.theirs; });
    json_writer out = begin_note("difference");
    out.member("target", target_text()).member("ours", sizes.ours);
    out.member("theirs", sizes.theirs).member("proposed", decision.proposed_replicas);
    out.member("limited_by", decide::limit_name(decision.limited_by)).member("their_reason", their_reason);
    out.member("explained_by", explains == fresh.others.end() ? std::string() : "the rules of " + explains->first);
    note(out);
}

}  // namespace gputide::kubernetes
