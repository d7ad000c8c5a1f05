#include "decide/forecast/history.hpp"

#include "base/time.hpp"
#include "decide/decide.hpp"
#include "decide/state/state.hpp"
#include "forecast/forecast.hpp"
#include "forecast/memory.hpp"
#include "forecast/text.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gputide::decide {

namespace {

constexpr std::int64_t settled_ms = 3'600'000;  // then the forecast knows more than a past without replica counts

constexpr std::array<std::string_view, 6> outcome_names{"none", "read", "empty", "failed", "no_past", "no_total"};

// Tells whether the metric is a total: the load at any size.
bool is_total(const policy& policy) {
    const std::int32_t at = policy.forecast->metric;
    if (at == composite_metric) return false;
    const metric_policy& metric = policy.metrics[static_cast<std::size_t>(at)];
    return is_one_number(metric.kind) && metric.type == manifest::target_type::average_value;
}

}  // namespace

std::optional<history_span> wanted_history(const policy& policy, state& state, std::int64_t now_ms) {
    const std::int64_t length_ms = policy.scaling.extra.forecast.history_ms;
    if (!policy.forecast || length_ms <= 0 || state.forecast.empty()) return std::nullopt;
    load_forecast& forecast = state.forecast.front();
    const std::int64_t step_ms = policy.forecast->settings.slot_ms;
    if (forecast.memory.score.scored * step_ms >= settled_ms) return std::nullopt;
    const std::int64_t to_ms = (forecast::floor_div(now_ms, step_ms) - 1) * step_ms;
    const std::int64_t from_ms = std::max<std::int64_t>(0, to_ms - length_ms / step_ms * step_ms + step_ms);
    if (from_ms > to_ms) return std::nullopt;
    const auto metric = static_cast<std::size_t>(std::max(policy.forecast->metric, 0));
    const history_span out{metric, from_ms, to_ms, step_ms};
    if (is_total(policy)) return out;
    miss_history(state, out, history_outcome::no_total, status::ok);
    return std::nullopt;
}

void learn_history(const policy& policy, state& state, const history_span& over, std::span<const sample> past) {
    load_forecast& forecast = state.forecast.front();
    forecast.history = {history_outcome::read, status::ok, over.from_ms, over.to_ms, 0, 0};
    std::vector<forecast::past_load> loads;
    loads.reserve(past.size());
    for (const sample& read : past) {
        const bool has_value = read.state == sample_state::ok && read.value >= 0;
        loads.push_back({read.time_ms, has_value ? read.value : forecast::no_number});
        if (has_value) ++forecast.history.slots;
    }
    forecast.history.missing = over.steps() - forecast.history.slots;
    if (forecast.history.slots == 0) {
        forecast.history.outcome = history_outcome::empty;
        return;
    }
    forecast::begin_with(forecast.memory, policy.forecast->settings, loads);
}

void write_history(json_writer& out, const history_note& note) {
    if (note.outcome == history_outcome::none) return;
    out.key("history").begin_object().member("outcome", outcome_names[static_cast<std::size_t>(note.outcome)]);
    out.member("from", format_rfc3339_ms(note.from_ms)).member("to", format_rfc3339_ms(note.to_ms));
    out.member("slots", note.slots).member("missing", note.missing);
    if (note.why != status::ok) out.member("status", std::string_view(status_name(note.why)));
    out.end_object();
}

void miss_history(state& state, const history_span& over, history_outcome outcome, status why) noexcept {
    state.forecast.front().history = {outcome, why, over.from_ms, over.to_ms, 0, over.steps()};
}

void write_forecast(json_writer& out, const load_forecast& forecast) {
    forecast::write_report(out, forecast::report_of(forecast.memory, forecast.settings), forecast.settings);
    write_history(out, forecast.history);
    if (forecast.need >= 0) out.member("need", forecast.need);
    if (forecast.shadow_replicas >= 0) out.member("shadow_replicas", forecast.shadow_replicas);
}

}  // namespace gputide::decide
