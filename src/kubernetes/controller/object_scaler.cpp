// Opens the scaler of a ScaledObject, checks whether it may scale its target, and builds its status.
#include "kubernetes/controller/object_scaler.hpp"

#include "base/text.hpp"
#include "decide/trace/texts.hpp"

#include <algorithm>

namespace gputide::kubernetes {
namespace {

// As `gputided release`: KEDA's operator creates its HPA within seconds; a restarted operator needs the duration of its Lease.
constexpr std::int64_t hpa_within_ms = 60'000;
constexpr std::int64_t finalizer_within_ms = 10'000;  // for a new ScaledObject, if KEDA manages others
constexpr std::size_t min_contesting_changes = 2;

// Minimum step of lastActiveTime; a tenth of the cooldown if that is longer.
constexpr std::int64_t min_active_step_s = 30;
constexpr std::int32_t cooldown_parts = 10;
constexpr std::size_t max_status_bytes = 1'024;
// KEDA's condition reason if it cannot scale (kedacore/keda controllers/keda/scaledobject_controller.go).
constexpr const char* failed_reason = "ScaledObjectCheckFailed";
constexpr std::array<decide::condition_type, 4> shown_types{
    decide::condition_type::ready, decide::condition_type::active, decide::condition_type::fallback,
    decide::condition_type::paused};

status_condition unknown_condition(decide::condition_type type) {
    return {decide::condition_name(type), "Unknown", {}, {}};
}

std::vector<status_condition> conditions_of(const decide::policy& policy, const decide::decision& decision) {
    std::vector<status_condition> out;
    std::string buffer;
    for (const decide::condition_type type : shown_types) {
        const decide::condition& condition = decision.conditions[static_cast<std::size_t>(type)];
        out.push_back(unknown_condition(type));
        if (condition.truth == decide::truth::absent) continue;
        out.back().status = decide::truth_name(condition.truth);
        out.back().reason = decide::reason_name(condition.reason);
        out.back().message = decide::condition_message(policy, decision, type, {}, buffer);
    }
    if (auto health = decide::hpa_active_of(policy, decision))
        out.push_back({std::move(health->type), decide::truth_name(health->status), std::move(health->reason),
                       std::move(health->message)});
    return out;
}

// Returns the consecutive failures by metric, as KEDA counts them, but at most the fallback's failureThreshold + 1, so that the
// status stops changing if a metric keeps failing.
std::map<std::string, metric_health> health_of(const decide::policy& policy, const decide::state& state) {
    std::map<std::string, metric_health> out;
    if (!policy.fallback_on) return out;
    const std::int64_t max_counted = std::int64_t{policy.scaling.fallback->failure_threshold} + 1;
    const std::size_t metrics = std::min(policy.metrics.size(), state.health.size());
    for (std::size_t i = 0; i < metrics; ++i) {
        const decide::metric_health& health = state.health[i];
        out[policy.metrics[i].name] = {static_cast<std::int32_t>(std::min<std::int64_t>(health.failures, max_counted)),
                                       health.failing};
    }
    return out;
}

}  // namespace

// Adds the owner, because the manifest does not contain the owner annotation.
std::size_t manifest_hash(const scaled_object& object) {
    return std::hash<std::string>()(object.owner + '\n' + object.manifest);
}

void object_scaler::take(const scaled_object& object) {
    await_hpa(object);
    const std::string& us = with().settings.owner;
    const bool shows = object.is_anothers(us)
                           ? block_.set_owner(block_reason::not_owner, anothers_text(object.owner, us))
                           : block_.set_owner(block_reason::none, {});
    if (load(object) && id_ != 0) {
        inherit(object);
        if (target_ != object.target || !resource_) {
            unlink();
            if (target_ != object.target) forget_sizes();
            target_ = object.target;
            if (std::exchange(is_new_, false)) note_membership(true, written_target());
            locate();
        }
    }
    if (shows) note_block();  // even if the manifest has an error
}

// Clears versions, sizes and requests of the previous target.
void object_scaler::forget_sizes() {
    write_.work.cancel();
    scale_read_.work.cancel();
    is_scale_due_ = false;
    seen_size_.reset();
    first_size_.reset();
    own_size_.reset();
    own_version_.clear();
    foreign_ms_.clear();
    capacity_ = {};
    awaits_pods_since_ms_ = 0;
}

// Decides how long to wait for KEDA's HPA, during which the target counts as contested.  If the owner annotation names this
// gputide, other controllers are done and the wait ends.  Otherwise KEDA will create an HPA if it has just taken over the object,
// or if the annotation or the pause was just removed; nothing else shows this for a moment.  For an object of the initial list
// the time of these changes is unknown.
void object_scaler::await_hpa(const scaled_object& object) {
    const bool is_first = id_ == 0 && is_news_;
    const marks before = std::exchange(
        marks_, {object.owner == with().settings.owner, object.is_kedas, object.is_paused, manifest_hash(object)});
    if (marks_.is_ours) {
        hpa_until_ms_ = 0;
        if (!before.is_ours) foreign_ms_.clear();
        return;
    }
    const bool is_taken = object.is_kedas && !object.is_paused && (!before.is_kedas || before.is_paused);
    if (is_taken || (object.is_kedas && before.is_ours)) {
        hpa_until_ms_ = with().now_ms() + hpa_within_ms;
    } else if (is_first && !object.is_kedas &&
               of_.objects().any([](const scaled_object& each) { return each.is_kedas; })) {
        hpa_until_ms_ = with().now_ms() + finalizer_within_ms;
    }
}

result<void> object_scaler::open(const scaled_object&, const scaler_texts& texts, bool is_news) {
    if (texts.is_over_bound) return texts.why;
    inherited_active_s_ = 0;  // the scaler may start with a new state
    result<void> done = add_or_replace(texts);
    if (is_news && id_ != 0) static_cast<void>(with().scalers.poll_soon(id_));
    return done;
}

result<void> object_scaler::add_or_replace(const scaler_texts& texts) {
    pipeline::host_options host = pipeline::tenant_options(with().host, name_.name_space);
    host.scaler = name_.text();
    const result<manifest::spec> spec = pipeline::load_spec(files_of(texts), host, nullptr);
    if (!spec) return spec.failure();
    if (id_ != 0) return with().scalers.replace(id_, *spec, host, std::nullopt);
    const auto self = std::static_pointer_cast<object_scaler>(shared_from_this());
    const result<runtime::scaler_id> added = with().scalers.add(*spec, host, self);
    if (!added) return added.failure();
    id_ = *added;
    is_new_ = true;
    return {};
}

// Takes over the state that the previous leader or process left in the status, so that a cooldown and the failures for a fallback
// continue.
void object_scaler::inherit(const scaled_object& object) {
    const bool is_news = inherited_active_s_ == 0 || object.status.last_active_s > inherited_active_s_;
    if (!is_news) return;
    constexpr std::int64_t ms_per_s = 1'000;
    decide::inherited_state inherited;
    if (object.status.last_active_s != 0) inherited.last_active_ms = object.status.last_active_s * ms_per_s;
    for (const auto& [metric, health] : object.status.health)
        inherited.health.push_back({metric, health.failures, health.is_failing});
    static_cast<void>(with().scalers.inherit(id_, inherited));
    inherited_active_s_ = std::max<std::int64_t>(object.status.last_active_s, 1);
}

void object_scaler::stop() {
    managed_scaler::stop();
    write_.work.cancel();
    scale_read_.work.cancel();
    if (id_ != 0) note_membership(false, written_target());
    unlink();
    if (id_ != 0) static_cast<void>(with().scalers.remove(id_));  // an error means that the host has already removed it
}

void object_scaler::tick() {
    managed_scaler::tick();
    keep_capacity();
    if (block_.is_blocked()) keep_finalizer();  // a blocked scaler may get no decisions
    const bool waits_for_texts = id_ == 0 && block_.problem() == block_reason::none;
    if (waits_for_texts || (id_ != 0 && !resource_)) of_.add(name_);
    // A target that does not exist in the first list causes no callback.
    const bool is_never_seen = resource_ && !seen_size_ && block_.problem() == block_reason::none;
    const bool is_due = is_scale_due_ && with().now_ms() >= scale_read_.not_before_ms;
    if (is_due || is_never_seen) observe();
}

void object_scaler::keep_finalizer() {
    const scaled_object* here = object();
    if (here != nullptr && all_.restoring() != nullptr) all_.restoring()->keep_finalizer(name_, *here);
}

// Tells whether no other controller scales the target.  Blocks the scaler otherwise.
bool object_scaler::is_free() {
    waits_for_rivals_ = true;
    std::string unknown = "horizontalpodautoscalers have not been listed yet";
    if (all_.rivals().is_known(name_.name_space)) unknown = all_.rivals().unknown_in(name_.name_space);
    if (!unknown.empty()) {
        set_problem(block_reason::unseen, "it is unknown whether an HPA scales it: " + unknown);
        return false;
    }
    waits_for_rivals_ = false;
    if (is_contested()) {
        std::string why =
            "another controller scales it: remove its HPA, or pause its ScaledObject in KEDA and annotate it with "
            "gputide.io/owner: " +
            with().settings.owner;
        if (awaits_hpa()) why = "KEDA manages it or is about to, and KEDA's HPA does not exist yet";
        set_problem(block_reason::contested, std::move(why));
        return false;
    }
    end_problem(block_reason::contested);
    end_problem(block_reason::unseen);
    return true;
}

// Tells whether an HPA, also KEDA's own, scales the target or soon will, or whether its size was changed twice recently by
// another controller.
bool object_scaler::is_contested() {
    const bool has_rival = all_.rival_of(name_, target_) != nullptr;
    if (has_rival) hpa_until_ms_ = 0;  // the HPA exists, so its deletion will be seen
    forget_foreign();
    return has_rival || awaits_hpa() || foreign_ms_.size() >= min_contesting_changes;
}

jobs::event object_scaler::block_event() const {
    if (block_.is_blocked()) return {true, failed_reason, block_.why()};
    return {false, "ScaledObjectReady", "ScaledObject is ready for scaling"};
}

// Returns the wanted status.  Keeps members that are unknown here.
scaled_object_status object_scaler::status_of(const scaled_object& object) {
    scaled_object_status out = object.status;
    if (resource_) out.target = *resource_;
    if (!out.original_replicas) out.original_replicas = first_size_;
    set_last_active(std::max<std::int64_t>(min_active_step_s, object.cooldown_s / cooldown_parts), out);
    out.trigger_types = object.trigger_types;
    for (const auto& [metric, health] : health_) out.health[metric] = health;
    out.conditions = conditions_;
    if (out.conditions.empty()) {
        for (const decide::condition_type type : shown_types) out.conditions.push_back(unknown_condition(type));
    }
    if (lacks_nodes())
        out.conditions.push_back(
            {"NodeCapacity", "False", "NoCapacity", std::string(cut_utf8(capacity_text(), max_status_bytes))});
    if (block_.is_blocked()) {
        out.conditions.front() = {decide::condition_name(decide::condition_type::ready), "False", failed_reason,
                                  std::string(cut_utf8(block_.why(), max_status_bytes))};
    }
    return out;
}

// Queues a decision.  Called by the scaler host, so it must not call the host.
void object_scaler::decided(runtime::scaler_id, const runtime::scaler& decided) {
    const decide::policy& policy = decided.policy();
    const decide::decision& decision = decided.last_decision();
    fresh_decision fresh;
    fresh.of = std::static_pointer_cast<object_scaler>(shared_from_this());
    fresh.decision = decision;
    fresh.conditions = conditions_of(policy, decision);
    fresh.health = health_of(policy, decided.state());
    if (decision.desired_replicas != decision.current_replicas) fresh.reason = decide::rescale_reason(policy, decision);
    if (decision.event != decide::event::none) fresh.event = decide::write_event_of(policy, decided.state());
    for (const runtime::scaler::other_release& other : decided.other_releases())
        fresh.others.emplace_back(other.name(), other.desired);
    all_.queue(std::move(fresh));
}

}  // namespace gputide::kubernetes
