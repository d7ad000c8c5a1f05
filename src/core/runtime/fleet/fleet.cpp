// Calls for one scaler: observations, samples, records, states.
#include "runtime/fleet/fleet.hpp"

#include "base/json_writer.hpp"
#include "decide/state/text.hpp"
#include "decide/trace/report.hpp"
#include "pipeline/pipeline.hpp"
#include "runtime/scaler.hpp"

#include <utility>

namespace gputide::runtime {
namespace {

error unlike_policy(const decide::policy& policy, std::size_t samples) {
    return fail(status::invalid, "samples: got {}; the policy needs {}, one per metric in the manifest's order",
                samples, policy.metrics.size());
}

// Checks pushed samples: only metrics that no source reads accept them.
result<void> check_pushed(const hosted_scaler& hosted, std::span<const sample> samples) {
    const decide::policy& policy = hosted.scaler.policy();
    if (samples.size() != policy.metrics.size()) return unlike_policy(policy, samples.size());
    for (std::size_t metric = 0; metric < samples.size(); ++metric) {
        if (samples[metric].state == sample_state::not_given || !hosted.scaler.asks_alone(metric)) continue;
        return fail(
            status::invalid,
            "samples[{}]: {} is read by its own source; leave its state 0, or change it to a trigger of type values",
            metric, policy.metrics[metric].label());
    }
    return {};
}

result<void> check_observation(const hosted_scaler& hosted, const decide::observation& observation) {
    const auto metrics = static_cast<std::int64_t>(hosted.scaler.policy().metrics.size());
    for (const decide::pod_sample& value : observation.pod_samples) {
        if (value.metric < metrics) continue;
        return fail(status::invalid, "pod_samples: metric is {}; the policy has {} metrics, counted from 0",
                    value.metric, metrics);
    }
    return observation.samples.empty() ? result<void>() : check_pushed(hosted, observation.samples);
}

error not_to_record() {
    return fail(status::state,
                "no event of this scaler requests this write: it was already recorded, or the decision was changed; "
                "report the target's size with an observation");
}

}  // namespace

fleet::fleet(const fleet_options& options, std::shared_ptr<http::loop> loop, source::services services, signals host)
    : options_(options),
      loop_(std::move(loop)),
      services_(std::move(services)),
      traffic_(std::make_shared<http::traffic>(
          loop_, http::traffic_limits{options.max_in_flight,
                                      options.max_per_endpoint,
                                      {options.breaker_failures, options.breaker_base_ms, options.breaker_cap_ms},
                                      options.share_window_ms})),
      signals_(std::move(host)) {}

fleet::~fleet() {
    for (const slot& each : slots_) {
        if (!each.hosted) continue;
        if (each.hosted->poll) each.hosted->poll->stop();
        for (const held_stream& stream : each.hosted->streams) stream.listener->stop();
    }
}

hosted_scaler* fleet::at(scaler_id id) const { return at(use_of(id)); }

hosted_scaler* fleet::at(const slot_use& use) const {
    if (use.index >= slots_.size()) return nullptr;
    const slot& here = slots_[use.index];
    return here.generation == use.generation ? here.hosted.get() : nullptr;
}

error fleet::unknown_scaler(scaler_id id) {
    return fail(status::not_found, "scaler {}: no such id (removed, or from another runtime)",
                std::to_string(id));  // format_text() has no unsigned numbers above INT64_MAX
}

result<void> fleet::observe(scaler_id id, const decide::observation& observation,
                            std::span<const std::string_view> messages) {
    kept_observation next(observation, messages);
    {
        const std::lock_guard hold(lock_);
        hosted_scaler* hosted = at(id);
        if (hosted == nullptr) return unknown_scaler(id);
        if (result<void> good = check_observation(*hosted, observation); !good) return good;
        next.keep_pushed(hosted->observation);
        const bool is_first = !hosted->observation.is_given();
        const slot_use use = use_of(id);
        if (is_first && !options_.observe_first) newcomers_.push_back(use);
        if (hosted->awaits_observation) {
            plan(use.index, 0);
            if (hosted->waiting_decisions == 0 && !hosted->due_event_taken) drop_event(*hosted);
            hosted->awaits_observation = false;
            hosted->observation_came = true;
        }
        std::swap(hosted->observation, next);
        stats_.lateness.observed(hosted->lateness, observation.ready_replicas, observation.now_ms);
        if (is_first) --stats_.unobserved;
        if (!is_first && !hosted->observation_came) return {};
    }
    signals_.stirred();
    return {};
}

result<void> fleet::push(scaler_id id, std::span<const sample> samples, std::span<const std::string_view> messages) {
    const std::lock_guard hold(lock_);
    hosted_scaler* hosted = at(id);
    if (hosted == nullptr) return unknown_scaler(id);
    if (result<void> good = check_pushed(*hosted, samples); !good) return good;
    hosted->observation.push(samples, messages);
    return {};
}

result<void> fleet::record(scaler_id id, decide::decision& decision, bool applied, std::int64_t now_ms,
                           std::string_view why) {
    const std::lock_guard hold(lock_);
    hosted_scaler* hosted = at(id);
    if (hosted == nullptr) return unknown_scaler(id);
    if (decision.desired_replicas == decision.current_replicas) return {};  // as in decide::record_applied()
    if (!hosted->may_record(decision)) return not_to_record();
    if (result<void> recorded = hosted->scaler.record(decision, applied, now_ms, why); !recorded) return recorded;
    hosted->unrecorded.settle(decision);
    if (!applied) return {};
    hosted->observation.resize(decision.desired_replicas, now_ms);
    stats_.lateness.written(hosted->lateness, now_ms);
    return {};
}

result<std::string> fleet::save(scaler_id id) const {
    const std::lock_guard hold(lock_);
    const hosted_scaler* hosted = at(id);
    if (hosted == nullptr) return unknown_scaler(id);
    return decide::save_state(hosted->scaler.policy(), hosted->scaler.state());
}

result<void> fleet::load(scaler_id id, std::string_view text) {
    const std::lock_guard hold(lock_);
    hosted_scaler* hosted = at(id);
    if (hosted == nullptr) return unknown_scaler(id);
    result<decide::state> state = decide::load_state(hosted->scaler.policy(), text);
    if (!state) return state.take_failure();
    hosted->loaded_decisions = state->decisions;
    hosted->unrecorded.clear();  // they belong to the replaced state
    hosted->scaler.set_state(*std::move(state));
    return {};
}

result<void> fleet::inherit(scaler_id id, const decide::inherited_state& inherited_state) {
    const std::lock_guard hold(lock_);
    hosted_scaler* hosted = at(id);
    if (hosted == nullptr) return unknown_scaler(id);
    hosted->scaler.inherit(inherited_state, loop_->wall_ms());
    return {};
}

result<std::string> fleet::describe(scaler_id id) const {
    const std::lock_guard hold(lock_);
    const hosted_scaler* hosted = at(id);
    if (hosted == nullptr) return unknown_scaler(id);
    const runtime::scaler& scaler = hosted->scaler;
    const decide::decision& last = scaler.last_decision();
    json_writer json;
    json.begin_object().member("id", id).key("tag").raw(std::to_string(hosted->tag));
    json.member("name", scaler.policy().scaling.name).member("namespace", scaler.policy().scaling.name_space);
    json.key("policy").raw(pipeline::policy_json(scaler.policy()));
    json.member("polls", hosted->polls).member("polling", hosted->polling);
    json.member("observed", hosted->observation.is_given());
    if (hosted->observation.is_given()) {
        json.member("observed_ms", hosted->observation.time_ms());
        json.member("current_replicas", hosted->observation.replicas());
        if (hosted->observation.ready() >= 0) json.member("ready_replicas", hosted->observation.ready());
    }
    write_rise(json, hosted->lateness);
    if (last.now_ms != 0) {
        json.key("decision").raw(decide::decision_json(scaler.policy(), last, nullptr, details_of(scaler, last)));
        json.key("metrics").raw(reads_json(scaler, now().wall_ms));
    }
    return json.end_object().take();
}

fleet_stats fleet::stats() const {
    const std::lock_guard hold(lock_);
    fleet_stats out = stats_;
    out.scheduled = schedule_.size() + (due_.size() - next_);
    out.stalls = clock_.stalls();
    out.stalled_ms = clock_.stalled_ms();
    out.clock_steps_back = clock_.steps_back();
    out.queries = queries_.size();
    out.traffic = traffic_->stats();
    return out;
}

}  // namespace gputide::runtime
