// Carries out decisions on ScaledObjects: writes the replicas if this process is leader and no other controller scales the
// target.  In shadow mode it only compares.
#include "base/format_text.hpp"
#include "decide/trace/texts.hpp"
#include "kubernetes/controller/object_scaler.hpp"

#include <algorithm>

namespace gputide::kubernetes {

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

std::int64_t delay_after(const written& written, std::int32_t denials) {
    if (written.result == write_result::refused) return max_retry_delay_ms;
    if (written.result == write_result::denied) return retry_delay_ms(denials);
    return requested_delay_ms(written.why);
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
    const store<target_size>& sizes = rules_.sizes(*resource_);
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
    rules_.count(written);
    write_.work.end();
    write_.failures = written.result == write_result::denied ? write_.failures + 1 : 0;
    write_.not_before_ms = with().now_ms() + delay_after(written, write_.failures);
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
    const autoscaler* rival = rules_.rival_of(name_, target_);
    const bool wants_some = rival != nullptr && rival->desired && *seen_size_ > 0;
    compared_sizes sizes;
    sizes.ours = decision.desired_replicas;
    sizes.theirs = wants_some ? *rival->desired : *seen_size_;
    sizes.theirs_counts = rival == nullptr || rival->is_active;
    if (!shadow_.differs(sizes, decision.now_ms, with().settings.sync_ms)) return;
    ++rules_.counted.differences;
    note_difference(fresh, sizes, rival != nullptr ? rival->reasons : "no HPA exists; this is the target's size");
}

// Sends KEDA's event if KEDA's executor would send one, otherwise the HPA controller's event of a rescale.
void object_scaler::announce_write(const fresh_decision& fresh, bool is_applied, const std::string& error) const {
    const decide::decision& decision = fresh.decision;
    if (decision.event != decide::event::none) {
        decide::decision carried_out = decision;
        carried_out.event = decide::event_of_write(decision.event, is_applied);
        decide::write_event write = fresh.event;
        const std::string kind =
            resource_ ? kind_text(resource_->group, resource_->version, resource_->kind) : target_.kind;
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
