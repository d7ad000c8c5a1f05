// Kubernetes events about ScaledObjects: sizes that were written, or were to be, and what keeps one from being scaled.
// Sent by the leader; event_sender.hpp brings each to the API server.
#include "base/format_text.hpp"
#include "kubernetes/controller/attached.hpp"

namespace gputide::kubernetes {
bool attached_cluster::announce(const key& name, bool is_warning, std::string reason, std::string message) {
    const scaled_object* object = scalers_->find(name);
    return object != nullptr && announce({name, object->facts.uid, is_warning, std::move(reason), std::move(message)});
}

bool attached_cluster::announce(const object_event& event) {
    return !settings_.shadow && leads_->may_write(event.about) && events_->send(event);
}

// By the decision's own event where KEDA's executor would have one, else as the HPA controller tells its rescales.
void attached_cluster::announce_write(const key& name, const entry& scaler, const fresh_decision& fresh,
                                      bool is_applied, const std::string& error) {
    const decide::decision& decision = fresh.decision;
    if (decision.event != decide::event::none) {
        decide::decision carried_out = decision;
        carried_out.event = decide::event_of_write(decision.event, is_applied);
        decide::write_event write = fresh.event;
        write.target = format_text("{} {}", kind_text(scaler.where->group, scaler.where->version, scaler.where->kind),
                                   target_of(name, scaler).text());
        write.error = error;
        announce(name, !is_applied, decide::event_name(carried_out.event), decide::event_message(carried_out, write));
        return;
    }
    std::string message = format_text("New size: {}; reason: {}", decision.desired_replicas, fresh.reason);
    if (!is_applied) message += "; error: " + error;
    announce(name, !is_applied, is_applied ? "SuccessfulRescale" : "FailedRescale", std::move(message));
}

// Once a second: who is held may have been so before the lead was ours.
void attached_cluster::announce_hindrance(const key& name, entry& scaler) {
    if (scaler.announced == scaler.held.why() || !leads_ || !leads_->may_write(name)) return;
    const bool is_told = scaler.held.is_held()
                             ? announce(name, true, "ScaledObjectCheckFailed", scaler.held.why())
                             : announce(name, false, "ScaledObjectReady", "ScaledObject is ready for scaling");
    if (is_told) scaler.announced = scaler.held.why();
}

}  // namespace gputide::kubernetes
