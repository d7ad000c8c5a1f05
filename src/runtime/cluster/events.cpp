// Kubernetes events about ScaledObjects: sizes that were written, or were to be, and what keeps one from being scaled.
// Sent by who leads; one that fails is lost, and keeps nobody from anything.
#include "base/format_text.hpp"
#include "runtime/cluster/attached.hpp"

namespace gputide::runtime {
namespace {

cluster::api_request request_for(const std::string& name_space, const cluster::event_request& request,
                                 std::int64_t timeout_ms) {
    const cluster::resource events = cluster::known_resource("", "v1", "events");
    if (request.step == cluster::event_step::patch)
        return cluster::merge_patch(events.object({name_space, request.name}, "patch"), request.body, timeout_ms);
    cluster::api_request out;
    out.target = events.collection(name_space);
    out.target.verb = "create";
    out.method = "POST";
    out.body = request.body;
    out.timeout_ms = timeout_ms;
    return out;
}

}  // namespace

void attached_cluster::announce(const key& name, bool is_warning, std::string reason, std::string message) {
    const cluster::scaled_object* object = scalers_->find(name);
    if (object == nullptr) return;
    announce({name, object->facts.uid, is_warning, std::move(reason), std::move(message)});
}

void attached_cluster::announce(const cluster::object_event& event) {
    const key name = event.about;
    const std::int64_t now_ms = loop_->steady_ms();
    if (settings_.shadow || !leads_->may_write(name) || now_ms < events_not_before_ms_) return;
    const cluster::event_request what = events_.next(event, now_ms, loop_->wall_ms());
    if (what.step == cluster::event_step::drop) return;
    api_->send(request_for(name.name_space, what, leads_->write_ms()),
               [self = weak_from_this(), sent = what.name](const cluster::reply& reply) {
                   if (const auto here = self.lock()) here->announced(sent, reply);
               });
}

// Without the right to it nobody is asked for each.
void attached_cluster::announced(const std::string& name, const cluster::reply& reply) {
    const bool is_good = reply.verdict == cluster::verdict::good;
    ++(is_good ? counts_.events : counts_.event_failures);
    if (reply.verdict == cluster::verdict::denied) {
        events_not_before_ms_ = loop_->steady_ms() + cluster::missing_patience_ms(++event_denials_);
    } else {
        event_denials_ = 0;
    }
    if (is_good) return;
    counts_.event_message = reply.why.message;
    events_.forget(name);
}

// By the decision's own event where KEDA's executor would have one, else as the HPA controller tells its rescales.
void attached_cluster::announce_write(const key& name, const entry& scaler, const fresh_decision& fresh,
                                      bool is_applied, const std::string& error) {
    const decide::decision& decision = fresh.decision;
    const std::string from_to = format_text(
        "{} {} from {} to {}", cluster::kind_text(scaler.where->group, scaler.where->version, scaler.where->kind),
        target_of(name, scaler).text(), decision.current_replicas, decision.desired_replicas);
    const bool is_executors = decision.event != decide::event::none;
    std::string reason = is_executors ? decide::event_name(decision.event)
                         : is_applied ? "SuccessfulRescale"
                                      : "FailedRescale";
    std::string message = is_executors
                              ? "Scaled " + from_to
                              : format_text("New size: {}; reason: {}", decision.desired_replicas, fresh.reason);
    if (!is_applied) message += "; error: " + error;
    announce(name, !is_applied, std::move(reason), std::move(message));
}

// Once a second: who is held may have been so before the lead was ours.
void attached_cluster::announce_hindrance(const key& name, entry& scaler) {
    if (scaler.announced == scaler.held.why() || !leads_ || !leads_->may_write(name)) return;
    scaler.announced = scaler.held.why();
    if (!scaler.held.is_held()) {
        announce(name, false, "ScaledObjectReady", "ScaledObject is ready for scaling");
    } else {
        announce(name, true, "ScaledObjectCheckFailed", scaler.held.why());
    }
}

}  // namespace gputide::runtime
