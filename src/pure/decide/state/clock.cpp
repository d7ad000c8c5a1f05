// Times ahead of now; see clock.hpp.
#include "decide/state/clock.hpp"

#include "base/saturate.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

// Calls one(time) for each time that this library took from a now, but for the recommendations'.  A sample's time is its peer's, which may be a little ahead.
template <class State, class One>
void for_each_time(State& state, One one) {
    one(state.created_ms);
    one(state.last_active_ms);
    one(state.last_verdict.time_ms);
    for (auto& event : state.ups) one(event.time_ms);
    for (auto& event : state.downs) one(event.time_ms);
    for (auto& condition : state.conditions) one(condition.since_ms);
}

// A half whose last run lies ahead is due: how long ago it ran nobody knows.
void forget_if_ahead(std::int64_t& last_ms, std::int64_t now_ms) noexcept {
    if (last_ms > now_ms) last_ms = absent;
}

}  // namespace

std::int64_t set_clock(state& state, std::int64_t now_ms) noexcept {
    const bool set_back = state.newest_ms > now_ms;
    state.newest_ms = now_ms;
    if (!set_back) return 0;
    const std::int64_t newest_ms = newest_time_of(state);
    for (metric_health& health : state.health) {
        health.last.time_ms = std::min(health.last.time_ms, now_ms);
        health.read.time_ms = std::min(health.read.time_ms, now_ms);
    }
    for_each_time(state, [now_ms](std::int64_t& time_ms) { time_ms = std::min(time_ms, now_ms); });
    for (load_forecast& one : state.forecast) {
        for_each_time(one.shadow, [now_ms](std::int64_t& time_ms) { time_ms = std::min(time_ms, now_ms); });
        one.shadow.recommendations.clamp_times(now_ms);
    }
    state.recommendations.clamp_times(now_ms);
    forget_if_ahead(state.last_executor_ms, now_ms);
    forget_if_ahead(state.last_hpa_ms, now_ms);
    return newest_ms > now_ms ? subtract_saturating(newest_ms, now_ms) : 0;
}

std::int64_t newest_time_of(const state& state) noexcept {
    std::int64_t newest_ms = std::max(state.last_executor_ms, state.last_hpa_ms);
    for_each_time(state, [&newest_ms](std::int64_t time_ms) { newest_ms = std::max(newest_ms, time_ms); });
    for (const recommendation& one : state.recommendations) newest_ms = std::max(newest_ms, one.time_ms);
    return newest_ms;
}

}  // namespace gputide::decide
