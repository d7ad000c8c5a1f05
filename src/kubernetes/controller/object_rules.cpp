// State shared by all ScaledObjects: HPAs, sizes of targets, waiting decisions, and counts of writes.
#include "kubernetes/controller/object_scaler.hpp"

namespace gputide::kubernetes {
namespace {

template <class Use>
void each_scaler(const reconciler& all, Use use) {
    all.each([&](managed_scaler& scaler) { use(static_cast<object_scaler&>(scaler)); });
}

}  // namespace

object_rules::object_rules(controller_context& context)
    : resource_rules(manifest::document_kind::scaled_object),
      context_(context),
      rivals_(&read_autoscaler, [](const object_key&) {}),
      capacity_(context, [this](const shortages& found) { take_shortages(found); }) {}

std::shared_ptr<managed_scaler> object_rules::make(reconciler& of, const object_key& name) {
    return std::make_shared<object_scaler>(of, *this, name);
}

void object_rules::set_reconciler(const reconciler& of) {
    of_ = &of;
    if (context_.leads) restorer_ = std::make_shared<restorer>(context_, of.objects(), *this);
}

// Tells whether this instance polls a ScaledObject.  With shards each instance polls only its own; without shards a standby also
// decides, so that its windows are full when it becomes leader.  Uses the last recorded leadership, because a change of it
// reconciles all objects: short changes in between are harmless.
bool object_rules::wants(const object_key& name) const {
    if (context_.settings.shards == 1 || !context_.leads) return true;
    return context_.led[static_cast<std::size_t>(shard_of(name, context_.settings.shards))];
}

void object_rules::changed(const object_key& name) {
    if (restorer_) restorer_->changed(name);
}

void object_rules::begin() {
    // v2beta2 has the same members that are read here.  autoscaling/v2 exists since Kubernetes 1.23 (k8s.io/api autoscaling/v2).
    const resource autoscalers = known_resource("autoscaling", "v2", "horizontalpodautoscalers");
    for (const std::string& space : context_.watched_namespaces())
        rivals_.watch(context_.api, autoscalers.collection(space), space, "v2beta2");
}

void object_rules::end() {
    rivals_.stop();
    for (auto& [resource, sizes] : targets_) sizes->stop();
    if (restorer_) restorer_->end();
    capacity_.end();
}

void object_rules::tick() {
    if (restorer_) restorer_->tick();
    capacity_.tick([this] {
        bool out = false;
        each_scaler(*of_, [&](const object_scaler& scaler) { out = out || scaler.awaits_pods(); });
        return out;
    });
}

void object_rules::watch_target(const resource& resource, const object_key& target, const object_key& scaler) {
    scalers_of_[{resource.text(), target}].insert(scaler);
    auto at = targets_.find(resource.text());
    if (at == targets_.end()) {
        auto sizes = std::make_unique<store<target_size>>(
            &read_target_size,
            [this, name = resource.text()](const object_key& changed) { target_changed(name, changed); });
        at = targets_.emplace(resource.text(), std::move(sizes)).first;
    }
    const std::string space = context_.watched_namespace_of(scaler);
    at->second->watch(context_.api, resource.collection(space), space);
}

void object_rules::forget_target(const resource& resource, const object_key& target, const object_key& scaler) {
    const auto at = scalers_of_.find({resource.text(), target});
    if (at == scalers_of_.end()) return;
    at->second.erase(scaler);
    if (at->second.empty()) scalers_of_.erase(at);
}

void object_rules::target_changed(const std::string& resource, const object_key& target) {
    const auto at = scalers_of_.find({resource, target});
    if (at == scalers_of_.end()) return;
    for (const object_key& name : at->second) {
        if (managed_scaler* scaler = of_->find(name)) static_cast<object_scaler*>(scaler)->observe();
    }
}

void object_rules::count(const written& written) {
    ++counted.writes[static_cast<std::size_t>(written.result)];
    counted.conflicts += static_cast<std::uint64_t>(written.conflicts);
    counted.gets += static_cast<std::uint64_t>(written.gets);
    counted.puts += static_cast<std::uint64_t>(written.puts);
}

void object_rules::queue(fresh_decision fresh) {
    const std::lock_guard hold(lock_);
    decisions_.push_back(std::move(fresh));
    if (!taker_.expired()) return;
    const auto baton = std::make_shared<const bool>(true);
    context_.loop->after(0, [this, alive = std::weak_ptr(alive_), baton] {
        if (!alive.expired()) take_decisions();
    });
    taker_ = baton;
}

void object_rules::take_decisions() {
    std::vector<fresh_decision> taken;
    {
        const std::lock_guard hold(lock_);
        taken.swap(decisions_);
        taker_.reset();
    }
    for (fresh_decision& fresh : taken) {
        if (const std::shared_ptr<object_scaler> scaler = fresh.of.lock()) scaler->carry_out(fresh);
    }
}

void object_rules::take_shortages(const shortages& found) {
    each_scaler(*of_, [&](object_scaler& scaler) { scaler.take_shortages(found); });
}

void object_rules::describe_capacity(json_writer& out) const {
    constexpr std::size_t max_described = 100;
    std::size_t count = 0;
    out.key("no_capacity").begin_array();
    each_scaler(*of_, [&](const object_scaler& scaler) {
        if (scaler.lacks_nodes() && ++count <= max_described) scaler.describe_capacity(out);
    });
    out.end_array().member("no_capacity_count", count).member("capacity_message", capacity_.message());
}

void object_rules::describe_writes(json_writer& out) const {
    out.key("writes").begin_object();
    for (std::size_t result = 0; result < counted.writes.size(); ++result)
        out.member(write_result_name(static_cast<write_result>(result)), counted.writes[result]);
    out.end_object().member("conflicts", counted.conflicts).member("scale_reads", counted.gets);
    out.member("scale_writes", counted.puts).member("differences", counted.differences);
}

}  // namespace gputide::kubernetes
