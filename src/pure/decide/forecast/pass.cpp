#include "decide/hpa/pass.hpp"

#include "decide/hpa/behavior.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/saturate.hpp"
#include "decide/trace/trace.hpp"
#include "forecast/forecast.hpp"
#include "forecast/memory.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

constexpr std::int32_t unknown_size = -1;

// Starts the shadow with a copy of the HPA half's state from before this pass.
void begin_shadow(const pass& pass) {
    load_forecast& forecast = *pass.forecast;
    forecast.shadow_replicas = pass.current;
    forecast.shadow.seen = pass.state.seen;
    forecast.shadow.recommendations = pass.state.recommendations;
    forecast.shadow.ups = pass.state.ups;
    forecast.shadow.downs = pass.state.downs;
    forecast.shadow.confirmations = pass.state.confirmations;
}

tolerance band_of(const policy& policy) noexcept {
    const std::int32_t at = policy.forecast->metric;
    const tolerance general = tolerance_of(policy);
    return at == composite_metric ? general : tolerance_of(policy.metrics[static_cast<std::size_t>(at)], general);
}

// Proposes the shadow's size if the load is within tolerance of it, else the replicas that the load needs.  If the real size
// is held, so is the shadow's.
// Example: target 10, load 104: a shadow of 10 stays, a shadow of 8 changes to 11.
void propose_for_shadow(const pass& pass, proposal& proposal) noexcept {
    const std::int32_t size = pass.forecast->shadow_replicas;
    const double load = pass.forecast->load;
    if (proposal.failure != metric_failure::none) return;
    if (proposal.held) proposal.replicas = size;
    if (proposal.metric != pass.policy.forecast->metric || forecast::is_none(load)) return;
    const double target = pass.policy.forecast->target;
    proposal.within_tolerance = within(band_of(pass.policy), load / (target * size));
    proposal.replicas = proposal.within_tolerance ? size : ceil_replicas(load / target);
}

std::int32_t computed_size(const pass& shadow, const pass& real, std::span<const proposal> made) {
    const std::span<proposal> own = real.readings.proposals.all().last(made.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
        own[i] = made[i];
        propose_for_shadow(real, own[i]);
    }
    recommend(shadow, own);
    return shadow.decision.desired_replicas;
}

std::int32_t shadow_size(const pass& shadow, const pass& real, std::span<const proposal> proposals) {
    if (shadow.current > shadow.within.max) return shadow.within.max;
    if (shadow.current < shadow.within.min) return shadow.within.min;
    return proposals.empty() ? shadow.current : computed_size(shadow, real, proposals);
}

}  // namespace

void read_load(const pass& pass, std::span<const proposal> proposals) {
    load_forecast& forecast = *pass.forecast;
    if (forecast.shadow_replicas == unknown_size) begin_shadow(pass);
    forecast.need = -1;
    forecast.load = load_of(pass.policy, pass.observation, pass.readings, proposals);
    forecast::read(forecast.memory, forecast.settings, pass.observation.now_ms, forecast.load);
    if (pass.trace == nullptr) return;
    pass.trace->forecast.ran = true;
    pass.trace->forecast.report = forecast::report_of(forecast.memory, forecast.settings);
    pass.trace->forecast.ahead = forecast::forecasts_ahead(forecast.memory, forecast.settings);
    pass.trace->forecast.history = forecast.history;
}

std::int32_t raise_to_floor(const pass& pass, std::int32_t reactive) {
    load_forecast& forecast = *pass.forecast;
    const forecast::floor_result floor =
        forecast::floor_of({.floor_load = forecast.memory.floor_load,
                            .state = forecast::state_of(forecast.memory, forecast.settings),
                            .target = pass.policy.forecast->target,
                            .reactive = reactive,
                            .current = pass.current,
                            .max = pass.within.max},
                           forecast.settings);
    forecast.need = floor.need;
    if (pass.trace != nullptr) {
        pass.trace->forecast.floor = floor;
        pass.trace->forecast.reactive = reactive;
    }
    return floor.replicas;
}

void run_shadow(const pass& pass, std::span<const proposal> proposals) {
    load_forecast& forecast = *pass.forecast;
    if (pass.current == 0) {  // both are at 0 and start together
        forecast.shadow_replicas = unknown_size;
        return;
    }
    decision unused;
    const decide::pass shadow{pass.policy, forecast.shadow,          pass.observation, pass.readings, unused,
                              nullptr,     forecast.shadow_replicas, pass.within,      nullptr};
    const std::int32_t size = shadow_size(shadow, pass, proposals);
    if (size != forecast.shadow_replicas) {
        store_rescale(pass.policy, forecast.shadow, forecast.shadow_replicas, size, pass.observation.now_ms);
    }
    forecast.shadow_replicas = size;
}

void book_sizes(const pass& pass) {
    load_forecast& forecast = *pass.forecast;
    const std::int32_t written = pass.decision.desired_replicas;
    const std::int32_t shadow = forecast.shadow_replicas == unknown_size ? written : forecast.shadow_replicas;
    forecast::book(forecast.memory, written, shadow);
    if (pass.trace != nullptr) pass.trace->forecast.shadow = shadow;
}

void forget_shadow(state& state) noexcept {
    for (load_forecast& forecast : state.forecast) forecast.shadow_replicas = unknown_size;
}

void show_forecast(const state& state, decision& decision) noexcept {
    const load_forecast& forecast = state.forecast.front();
    decision.forecast_state = forecast::state_of(forecast.memory, forecast.settings);
    decision.forecast_need = forecast.need;
}

void prepare_forecast(const policy& policy, state& state) {
    if (!policy.forecast) return state.forecast.clear();
    const forecast_rule& rule = *policy.forecast;
    if (state.forecast.empty()) state.forecast.push_back({.subject = rule.subject, .settings = rule.settings});
    load_forecast& forecast = state.forecast.front();
    if (forecast.subject != rule.subject) {
        forecast.memory = {};
        forecast.history = {};
        forecast.subject = rule.subject;
    } else {
        forecast::change(forecast.memory, forecast.settings, rule.settings);
    }
    forecast.settings = rule.settings;
}

namespace {

using forecast::no_number;

double per_type(manifest::target_type type, double value, const observation& observation) noexcept {
    return type == manifest::target_type::average_value ? value : value * ready_replicas(observation);
}

double load_of_composite(const policy& policy, const observation& observation, const readings& readings) noexcept {
    const composite& all = readings.modifiers;
    if (!readings.filled || all.state != composite_state::formula || !all.has_value) return no_number;
    return per_type(policy.scaling.modifiers->metric_type, static_cast<double>(all.value_milli) / 1000, observation);
}

double load_of_external(const metric_policy& metric, const observation& observation, const readings& readings,
                        std::size_t at) noexcept {
    if (!readings.filled) return no_number;
    const reading& read = readings.read[at];
    const bool usable = read.ruled.action == no_data_action::none && read.ruled.value.state == sample_state::ok;
    if (!usable || readings.passed[at].fallback_active) return no_number;
    return per_type(metric.type, read.ruled.value.value, observation);
}

double load_of_pods(const metric_policy& metric, const observation& observation, const proposal& proposal) noexcept {
    if (proposal.failure != metric_failure::none) return no_number;
    if (metric.type == manifest::target_type::utilization)
        return proposal.utilization_pct * 1.0 * ready_replicas(observation);
    return static_cast<double>(proposal.total_milli) / 1000;
}

}  // namespace

double load_of(const policy& policy, const observation& observation, const readings& readings,
               std::span<const proposal> proposals) noexcept {
    const std::int32_t at = policy.forecast->metric;
    if (at == composite_metric) return load_of_composite(policy, observation, readings);
    const metric_policy& metric = policy.metrics[static_cast<std::size_t>(at)];
    if (is_one_number(metric.kind)) {
        return load_of_external(metric, observation, readings, static_cast<std::size_t>(at));
    }
    for (const proposal& candidate : proposals) {
        if (candidate.metric == at) return load_of_pods(metric, observation, candidate);
    }
    return no_number;
}

}  // namespace gputide::decide
