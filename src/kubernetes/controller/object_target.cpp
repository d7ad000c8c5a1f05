// Finds and observes the target of a ScaledObject.
#include "base/format_text.hpp"
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
    rules_.watch_target(*found, target_key(), name_);
    resource_ = *found;  // last: if the lines above run out of memory, tick() calls locate() again
    observe();
}

void object_scaler::unlink() {
    if (resource_) rules_.forget_target(*resource_, target_key(), name_);
    resource_.reset();
}

// Passes the target's size to the scaler host.  Reports a missing target only if the list is complete.
void object_scaler::observe() {
    if (id_ == 0 || !resource_) return;
    const store<target_size>& sizes = rules_.sizes(*resource_);
    const target_size* size = sizes.find(target_key());
    if (size != nullptr && !resource_->has_usual_size) return read_scale();
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
    scale_read_.work.begin(
        with().api->send(request.target, always(request),
                         while_alive(*this, [target = request.target](object_scaler& here, const reply& reply) {
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
    if (is_change && rules_.rival_of(name_, target_) == nullptr) foreign_ms_.push_back(with().now_ms());
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

}  // namespace gputide::kubernetes
