// State shared by all ScaledObjects: HPAs, sizes of targets, waiting decisions, counts of writes, and which pods get no node.
#include "formats/json/members.hpp"
#include "kubernetes/controller/object_scaler.hpp"
#include "kubernetes/watch/list.hpp"
#include "runtime/log.hpp"

namespace gputide::kubernetes {

object_reconciler::object_reconciler(controller_context& context)
    : reconciler(context, manifest::document_kind::scaled_object, &read_scaled_object),
      rivals_(&read_autoscaler, [](const object_key&) {}),
      capacity_(context, [this](const shortages& found) {
          each<object_scaler>([&](object_scaler& scaler) { scaler.take_shortages(found); });
      }) {}

std::shared_ptr<managed_scaler> object_reconciler::make(const object_key& name) {
    return std::make_shared<object_scaler>(*this, name);
}

// Tells whether this instance polls a ScaledObject.  With shards each instance polls only its own; without shards a standby also
// decides, so that its windows are full when it becomes leader.  Uses the last recorded leadership, because a change of it
// reconciles all objects: short changes in between are harmless.
bool object_reconciler::wants(const object_key& name) const {
    if (context_.settings.shards == 1 || !context_.leads) return true;
    return context_.led[static_cast<std::size_t>(shard_of(name, context_.settings.shards))];
}

void object_reconciler::changed(const object_key& name) {
    if (restorer_) restorer_->changed(name);
}

void object_reconciler::begin() {
    if (context_.leads) restorer_ = std::make_shared<restorer>(context_, *this);
    reconciler::begin();
    // v2beta2 has the same members that are read here.  autoscaling/v2 exists since Kubernetes 1.23 (k8s.io/api autoscaling/v2).
    const resource autoscalers = known_resource("autoscaling", "v2", "horizontalpodautoscalers");
    for (const std::string& space : context_.watched_namespaces())
        rivals_.watch(context_.api, autoscalers.collection(space), space, "v2beta2");
}

void object_reconciler::end() {
    reconciler::end();
    rivals_.stop();
    for (auto& [resource, sizes] : targets_) sizes->stop();
    if (restorer_) restorer_->end();
    capacity_.end();
}

void object_reconciler::tick_shared() {
    if (restorer_) restorer_->tick();
    capacity_.tick([this] {
        bool out = false;
        each<object_scaler>([&](const object_scaler& scaler) { out = out || scaler.awaits_pods(); });
        return out;
    });
}

void object_reconciler::watch_target(const resource& resource, const object_key& target, const object_key& scaler) {
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

void object_reconciler::forget_target(const resource& resource, const object_key& target, const object_key& scaler) {
    const auto at = scalers_of_.find({resource.text(), target});
    if (at == scalers_of_.end()) return;
    at->second.erase(scaler);
    if (at->second.empty()) scalers_of_.erase(at);
}

void object_reconciler::target_changed(const std::string& resource, const object_key& target) {
    const auto at = scalers_of_.find({resource, target});
    if (at == scalers_of_.end()) return;
    for (const object_key& name : at->second) {
        if (auto* scaler = find<object_scaler>(name)) scaler->observe();
    }
}

void object_reconciler::count(const written& written) {
    ++writes.writes[static_cast<std::size_t>(written.result)];
    writes.conflicts += static_cast<std::uint64_t>(written.conflicts);
    writes.gets += static_cast<std::uint64_t>(written.gets);
    writes.puts += static_cast<std::uint64_t>(written.puts);
}

void object_reconciler::queue(fresh_decision fresh) {
    const std::lock_guard hold(lock_);
    decisions_.push_back(std::move(fresh));
    if (!taker_.expired()) return;
    const auto baton = std::make_shared<const bool>(true);
    context_.loop->after(0, [this, alive = std::weak_ptr(alive_), baton] {
        if (!alive.expired()) take_decisions();
    });
    taker_ = baton;
}

void object_reconciler::take_decisions() {
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

void object_reconciler::describe_capacity(json_writer& out) const {
    constexpr std::size_t max_described = 100;
    std::size_t count = 0;
    out.key("no_capacity").begin_array();
    each<object_scaler>([&](const object_scaler& scaler) {
        if (scaler.lacks_nodes() && ++count <= max_described) scaler.describe_capacity(out);
    });
    out.end_array().member("no_capacity_count", count).member("capacity_message", capacity_.message());
}

void object_reconciler::describe_writes(json_writer& out) const {
    out.key("writes").begin_object();
    for (std::size_t result = 0; result < writes.writes.size(); ++result)
        out.member(write_result_name(static_cast<write_result>(result)), writes.writes[result]);
    out.end_object().member("conflicts", writes.conflicts).member("scale_reads", writes.gets);
    out.member("scale_writes", writes.puts).member("differences", writes.differences);
}

// ---- pods without a node

namespace {

constexpr std::int64_t pass_ms = 15'000;
constexpr std::int64_t read_timeout_ms = 10'000;
constexpr std::size_t max_pods = 10'000;  // of a pass: what is beyond is not judged

}  // namespace

void capacity_reader::tick(function_ref<bool()> is_wanted) {
    const std::int64_t now_ms = with_.now_ms();
    if (with_.is_ending || now_ms < next_ms_ || work_.is_under_way(now_ms) || !is_wanted()) return;
    next_ms_ = now_ms + pass_ms;
    pass_ = {};
    add_parts("pods", unplaced_pods_query);
    read_next();
}

void capacity_reader::add_parts(const std::string& resource, std::string_view query) {
    for (const std::string& space : with_.watched_namespaces()) {
        endpoint target = known_resource("", "v1", resource).collection(space);
        target.query = query;
        pass_.left.push_back(std::move(target));
    }
}

void capacity_reader::read_next() {
    if (pass_.left.empty() && !pass_.reads_events && !pass_.pods.empty()) {
        pass_.reads_events = true;
        for (const std::string_view autoscaler : autoscaler_components)
            add_parts("events", pod_events_query(autoscaler));
    }
    if (pass_.left.empty()) return pass_.pods.empty() ? conclude({}) : read_status();
    const endpoint next = std::move(pass_.left.back());
    pass_.left.pop_back();
    const std::int64_t until_ms = with_.now_ms() + read_timeout_ms;
    work_.begin_until(list_pages(
                          with_.api, next, until_ms,
                          [this](const page& page, const std::string& body) {
                              read_page(page, body);
                              return result<void>();
                          },
                          [this](const result<void>& read) { read_came(read); }),
                      until_ms);
}

void capacity_reader::read_page(const page& page, const std::string& body) {
    const auto take = [&](simdjson::dom::object object) {
        if (pass_.reads_events) {
            if (pass_.seen.count(formats::text_in(object, "involvedObject", "uid")) != 0)
                take_event(object, pass_.verdicts);
            return;
        }
        auto pod = read_unplaced_pod(object);
        const bool is_new = pod && pass_.pods.size() < max_pods && pass_.seen.insert(pod->uid).second;
        if (is_new) pass_.pods.push_back(*std::move(pod));
    };
    read_items(page, body, take, [](const unreadable_object&) {});
}

// After a failed list of pods the shortages of the last pass stay.
void capacity_reader::read_came(const result<void>& read) {
    work_.end();
    if (!read) note_failure(read.failure());
    if (read || pass_.reads_events) return read_next();
    show_failure();
}

void capacity_reader::read_status() {
    api_request request;
    request.target = known_resource("", "v1", "configmaps").object({"kube-system", "cluster-autoscaler-status"}, "get");
    work_.begin(with_.api->send(request, [this](const reply& reply) {
        work_.end();
        const bool is_there = reply.verdict == verdict::good;
        if (!is_there && reply.verdict != verdict::missing) note_failure(reply.why);
        conclude(is_there ? read_full_pools(reply.answer.response.body) : std::vector<full_pool>());
    }));
}

void capacity_reader::conclude(const std::vector<full_pool>& pools) {
    show_failure();
    take_(judge_pods(pass_.pods, pass_.verdicts, pools, with_.loop->wall_ms(), with_.settings.start_ms));
}

void capacity_reader::show_failure() {
    if (message_ != pass_.failure && !pass_.failure.empty())
        runtime::log(runtime::log_level::info, "the state of nodes for waiting pods is incomplete: " + pass_.failure);
    message_ = pass_.failure;
}

void capacity_reader::note_failure(const error& why) {
    if (pass_.failure.empty()) pass_.failure = why.message;
}

}  // namespace gputide::kubernetes
