// Whether the pods of a ScaledObject's target can have nodes: a part of the observation, of the status and of events.
#include "base/format_text.hpp"
#include "kubernetes/controller/object_scaler.hpp"

#include <algorithm>

namespace gputide::kubernetes {
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
