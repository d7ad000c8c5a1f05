// What the status of a ScaledObject tells, where KEDA does not write it: `kubectl get so` goes on working.
// Written by who leads, when it is to say something else than it does on the server, and at most each 15 s.
#include "base/text.hpp"
#include "decide/trace/keda_texts.hpp"
#include "decide/trace/texts.hpp"
#include "kubernetes/controller/attached.hpp"

#include <algorithm>
#include <array>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t least_between_ms = 15'000;
constexpr std::int64_t least_active_step_s = 30;  // lastActiveTime moves no finer, nor than a tenth of the cooldown
constexpr std::int32_t cooldown_parts = 10;
constexpr std::size_t max_status_bytes = 1'024;
constexpr std::array<decide::condition_type, 4> shown_types{
    decide::condition_type::ready, decide::condition_type::active, decide::condition_type::fallback,
    decide::condition_type::paused};
// KEDA's reason for whatever keeps it from scaling one (kedacore/keda controllers/keda/scaledobject_controller.go).
constexpr const char* failed_reason = "ScaledObjectCheckFailed";

endpoint status_place(const object_key& name) { return kedas("scaledobjects").object(name, "patch", "status"); }

status_condition unknown_condition(decide::condition_type type) {
    return {decide::condition_name(type), "Unknown", {}, {}};
}

}  // namespace

std::vector<status_condition> attached_cluster::status_conditions(const decide::policy& policy,
                                                                  const decide::decision& decision) {
    std::vector<status_condition> out;
    std::string room;
    for (const decide::condition_type type : shown_types) {
        const decide::condition& one = decision.conditions[static_cast<std::size_t>(type)];
        out.push_back(unknown_condition(type));
        if (one.truth == decide::truth::absent) continue;
        out.back().status = decide::truth_name(one.truth);
        out.back().reason = decide::reason_name(one.reason);
        out.back().message = decide::condition_message(policy, decision, type, {}, room);
    }
    if (auto health = decide::hpa_active_of(policy, decision))
        out.push_back({std::move(health->type), decide::truth_name(health->status), std::move(health->reason),
                       std::move(health->message)});
    return out;
}

// In KEDA's words: failures of each metric in a row.  More than the fallback waits for tell nothing, and are not counted here, so
// that the status of a metric that stays away comes to rest.
std::map<std::string, metric_health> attached_cluster::status_health(const decide::policy& policy,
                                                                     const decide::state& state) {
    std::map<std::string, metric_health> out;
    if (!policy.fallback_on) return out;
    const std::int64_t most = std::int64_t{policy.scaling.fallback->failure_threshold} + 1;
    const std::size_t metrics = std::min(policy.metrics.size(), state.health.size());
    for (std::size_t i = 0; i < metrics; ++i) {
        const decide::metric_health& one = state.health[i];
        out[policy.metrics[i].name] = {static_cast<std::int32_t>(std::min<std::int64_t>(one.failures, most)),
                                       one.failing};
    }
    return out;
}

// What is not known here stays as the object has it.
scaled_object_status attached_cluster::status_of(const entry& scaler, const scaled_object& object) const {
    scaled_object_status out = object.status;
    if (scaler.where) {
        out.target_group = scaler.where->group;
        out.target_version = scaler.where->version;
        out.target_kind = scaler.where->kind;
        out.target_plural = scaler.where->plural;
    }
    if (!out.original_replicas) out.original_replicas = scaler.first_size;
    const std::int64_t step_s = std::max<std::int64_t>(least_active_step_s, object.cooldown_s / cooldown_parts);
    if (scaler.active_ms / 1'000 >= out.last_active_s + step_s) out.last_active_s = scaler.active_ms / 1'000;
    out.trigger_types = object.trigger_types;
    for (const auto& [metric, health] : scaler.health) out.health[metric] = health;
    out.conditions = scaler.conditions;
    if (out.conditions.empty()) {
        for (const decide::condition_type type : shown_types) out.conditions.push_back(unknown_condition(type));
    }
    if (scaler.held.is_held()) {
        out.conditions.front() = {decide::condition_name(decide::condition_type::ready), "False", failed_reason,
                                  std::string(cut_utf8(scaler.held.why(), max_status_bytes))};
    }
    return out;
}

std::optional<scaled_object_status> attached_cluster::due_status(const key& name, const entry& scaler,
                                                                 const scaled_object& object) const {
    if (settings_.shadow || object.is_kedas || scaler.held.is_anothers()) return std::nullopt;
    if (scaler.conditions.empty() && !scaler.held.is_held()) return std::nullopt;  // nothing was decided yet
    if (!leads_->may_write(name) || loop_->steady_ms() < scaler.status_not_before_ms) return std::nullopt;
    scaled_object_status wanted = status_of(scaler, object);
    if (wanted == object.status) return std::nullopt;
    return wanted;
}

// What it says is read when its turn has come.
void attached_cluster::write_status(const key& name, entry& scaler, const scaled_object& object) {
    if (scaler.status_write.is_under_way(loop_->steady_ms()) || !due_status(name, scaler, object)) return;
    scaler.status_write.begin(api_->send(
        status_place(name),
        [self = weak_from_this(), name] {
            const auto here = self.lock();
            return here ? here->status_request(name) : std::nullopt;
        },
        [self = weak_from_this(), name](const reply& reply) {
            if (const auto here = self.lock()) here->status_written(name, reply);
        }));
}

std::optional<api_request> attached_cluster::status_request(const key& name) const {
    const auto at = entries_.find(name);
    const scaled_object* object = scalers_->find(name);
    if (at == entries_.end() || object == nullptr) return std::nullopt;
    const auto wanted = due_status(name, at->second, *object);
    if (!wanted) return std::nullopt;
    return merge_patch(status_place(name), status_patch(*wanted), leads_->write_ms());
}

// A status that is not told keeps nobody from scaling.
void attached_cluster::status_written(const key& name, const reply& reply) {
    const auto at = entries_.find(name);
    if (at != entries_.end()) at->second.status_write.end();
    if (reply.verdict == verdict::unsent) return;
    const bool is_good = reply.verdict == verdict::good;
    ++(is_good ? counts_.statuses : counts_.status_failures);
    if (!is_good) counts_.status_message = reply.why.message;
    if (at == entries_.end()) return;
    entry& scaler = at->second;
    scaler.status_failures = is_good ? 0 : scaler.status_failures + 1;
    const std::int64_t wait_ms = is_good ? 0 : missing_patience_ms(scaler.status_failures);
    scaler.status_not_before_ms = loop_->steady_ms() + std::max(least_between_ms, wait_ms);
}

}  // namespace gputide::kubernetes
