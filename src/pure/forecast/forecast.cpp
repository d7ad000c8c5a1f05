// The steps at the end of a slot, in order: account, limit, score, learn, profiles and levels, forecast.
#include "forecast/forecast.hpp"

#include "forecast/memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace gputide::forecast {

namespace {

// Constants derived from the settings.
struct frame {
    explicit frame(const settings& settings) noexcept
        : chosen(settings),
          ahead(slots_ahead(settings)),
          slot_s(static_cast<double>(settings.slot_ms) / 1000),
          day(profile_rule::of(86'400'000, 300'000, settings.slot_ms, 0.3)),
          week(profile_rule::of(604'800'000, 1'800'000, settings.slot_ms, 0.5)),
          hour(profile_rule::of(3'600'000, settings.slot_ms, settings.slot_ms, 0.1)) {}

    const settings& chosen;
    std::int64_t ahead;
    double slot_s;
    profile_rule day;
    profile_rule week;
    profile_rule hour;
};

row& row_of(memory& memory, const frame& frame, std::int64_t slot) noexcept {
    return memory.rows[static_cast<std::size_t>(floor_mod(slot, frame.ahead))];
}

// Limits a load to four times the largest load of about a week, so that one wrong sample has a limited effect.
double limited(double& peak, double value, double slot_s) noexcept {
    if (peak > 0) value = std::min(value, 4 * peak);
    peak = std::max(value, peak * (1 - slot_s / week_s));
    return value;
}

void score_row(memory& memory, const frame& frame, const row& row, double value) noexcept {
    const double error = value - row.forecast;
    const double error_last_value = value - row.value;
    learn(memory.weights, {row.factors, row.value, error, error_last_value}, frame.slot_s);
    add(memory.score, {value, error, error_last_value, row.upper, row.upper_last_value}, frame.chosen);
}

void follow(levels& levels, double value, double slot_s) noexcept {
    if (is_none(levels.fast)) levels = {value, value};
    levels.fast += std::min(1.0, slot_s / 300) * (value - levels.fast);
    levels.slow += std::min(1.0, slot_s / 1200) * (value - levels.slow);
}

template <std::size_t Buckets>
double change_of(const profile_rule& rule, const profile<Buckets>& profile, std::int64_t slot, std::int64_t ahead,
                 double& now) noexcept {
    now = value_at(rule, profile.means, profile.visits, slot);
    return value_at(rule, profile.means, profile.visits, slot + ahead) - now;
}

// Scales a pattern's step to the current level: R = clip(l / P(k), 0.5, 2), 1 if P(k) is not above 0.
// Example: l = 94, P(k) = 80, P(k + h) = 100 → 20 · 1.175 = 23.5.
double scaled_step(double step, double now, double level) noexcept {
    if (is_none(step)) return 0.0;
    return step * (now > 0 ? clip(level / now, 0.5, 2) : 1.0);
}

parts factors_of(const memory& memory, const frame& frame, std::int64_t slot, double value) noexcept {
    const levels& level = memory.levels;
    double day_now = no_number;
    double week_now = no_number;
    double hour_now = no_number;
    const double day = change_of(frame.day, memory.day, slot, frame.ahead, day_now);
    const double week = change_of(frame.week, memory.week, slot, frame.ahead, week_now);
    const double hour = change_of(frame.hour, memory.hour, slot, frame.ahead, hour_now);
    parts out{};
    out[day_part] = scaled_step(day, day_now, level.fast);
    out[week_part] = scaled_step(week, week_now, level.fast);
    out[hour_part] = is_none(hour) ? 0.0 : hour;
    out[trend_part] = (level.fast - level.slow) * static_cast<double>(frame.ahead) * frame.slot_s / 1200;
    out[noise_part] = level.fast - value;
    return out;
}

// Narrows the band after half of the budget is spent, down to two errors below the forecast.
// Example: F = 116.59, q = 1.6, s = 5, κ = 0.4 → 116.59 + (1.6 - 0.4 · 3.6) · 5 = 117.39.
double requested_load_of(memory& memory, const frame& frame, double forecast) noexcept {
    const purse purse = purse_of(frame.chosen, memory.account);
    memory.was_spent = purse.is_spent;
    if (purse.is_spent || !memory.score.in_use || !is_warm(memory.score, frame.chosen)) return no_number;
    const band& edge = memory.score.edge;
    return std::max(0.0, forecast + (edge.width - purse.trim * (edge.width + 2)) * edge.scale);
}

void say(memory& memory, const frame& frame, std::int64_t slot, double value) noexcept {
    row& out = row_of(memory, frame, slot);
    out.factors = factors_of(memory, frame, slot, value);
    out.value = value;
    out.forecast = std::max(0.0, value + weighted_sum(memory.weights.values, out.factors));
    out.upper = out.forecast + memory.score.edge.reach();
    out.upper_last_value = value + memory.score.edge_last_value.reach();
    out.requested_load = requested_load_of(memory, frame, out.forecast);
}

// Ends a slot. `mean`: missing if the slot had no reading.
void end_slot(memory& memory, const frame& frame, std::int64_t slot, double mean) noexcept {
    row& entry = row_of(memory, frame, slot);
    memory.ended = slot;
    memory.begun = true;
    if (is_none(mean)) {
        entry = {};
        return;
    }
    const double value = limited(memory.peak, mean, frame.slot_s);
    if (!entry.is_empty()) score_row(memory, frame, entry, value);
    learn(frame.day, memory.day.view(), slot, value);
    learn(frame.week, memory.week.view(), slot, value);
    learn(frame.hour, memory.hour.view(), slot, value);
    follow(memory.levels, value, frame.slot_s);
    say(memory, frame, slot, value);
}

void end_slots(memory& memory, const frame& frame, const slot_end& end) noexcept {
    end_slot(memory.account, memory.booked, frame.slot_s);
    memory.booked = {};
    end_slot(memory, frame, end.number, end.mean);
    for (std::int64_t i = 1; i <= end.missing; ++i) end_slot(memory, frame, end.number + i, no_number);
    memory.floor_load = largest_requested_load(memory);
}

void forget_rows(memory& memory) noexcept {
    memory.rows.fill({});
    memory.floor_load = no_number;
}

}  // namespace

double largest_requested_load(const memory& memory) noexcept {
    double largest = no_number;
    for (const row& row : memory.rows) {
        if (row.requested_load >= 0 && !(row.requested_load <= largest)) largest = row.requested_load;
    }
    return largest;
}

std::string_view name(state state) noexcept {
    static constexpr std::array<std::string_view, 5> names{"", "warming", "off", "spent", "on"};
    const auto number = static_cast<std::size_t>(state);  // a negative number becomes a large one
    return number < names.size() ? names[number] : std::string_view();
}

void read(memory& memory, const settings& settings, std::int64_t now_ms, double load) noexcept {
    const slot_end end = enter(memory.open, floor_div(now_ms, settings.slot_ms), slots_ahead(settings));
    if (end.passage == passage::late) return;
    if (end.passage == passage::ended) end_slots(memory, frame(settings), end);
    if (end.passage == passage::set_back) forget_rows(memory);
    add_reading(memory.open, load);
}

void book(memory& memory, double replicas, double shadow_replicas) noexcept {
    memory.booked.extra += replicas - shadow_replicas;
    memory.booked.shadow += shadow_replicas;
    ++memory.booked.passes;
}

void change(memory& memory, const settings& before, const settings& now) noexcept {
    if (before.slot_ms != now.slot_ms) {
        memory = {};
    } else if (before.lead_ms != now.lead_ms) {
        forget_rows(memory);
        memory.weights = {};
        memory.score = {};
        memory.was_spent = false;
    }
}

state state_of(const memory& memory, const settings& settings) noexcept {
    if (!is_warm(memory.score, settings)) return state::warming;
    if (!memory.score.in_use) return state::off;
    return memory.was_spent ? state::spent : state::on;
}

report report_of(const memory& memory, const settings& settings) noexcept {
    const score& score = memory.score;
    report out;
    out.state = state_of(memory, settings);
    out.ahead_ms = slots_ahead(settings) * settings.slot_ms;
    out.at_ms = memory.ended * settings.slot_ms + out.ahead_ms;
    out.floor_load = memory.floor_load;
    out.weights = memory.weights.values;
    out.band = score.edge.reach();
    out.skill = skill(score);
    out.spent = spent(memory.account);
    out.trim = purse_of(settings, memory.account).trim;
    out.scored = score.scored;
    out.late = memory.open.late;
    if (score.count > 0) {
        out.error = score.error / score.count;
        out.error_last_value = score.error_last_value / score.count;
        out.held = score.held / score.count;
    }
    if (!memory.begun) return out;
    const row& newest = memory.rows[static_cast<std::size_t>(floor_mod(memory.ended, slots_ahead(settings)))];
    if (newest.is_empty()) return out;
    out.has_forecast = true;
    out.value = newest.value;
    out.forecast = newest.forecast;
    out.upper = newest.upper;
    out.requested_load = newest.requested_load;
    for (std::size_t i = 0; i < part_count; ++i) out.parts[i] = memory.weights.values[i] * newest.factors[i];
    return out;
}

std::vector<slot_forecast> forecasts_ahead(const memory& memory, const settings& settings) {
    std::vector<slot_forecast> out;
    const std::int64_t ahead = slots_ahead(settings);
    if (!memory.begun) return out;
    for (std::int64_t slot = memory.ended + 1; slot <= memory.ended + ahead; ++slot) {
        // The row of slot k + h is at index k mod h.
        const row& row = memory.rows[static_cast<std::size_t>(floor_mod(slot, ahead))];
        if (!row.is_empty()) out.push_back({slot * settings.slot_ms, row.forecast, row.upper, row.requested_load});
    }
    return out;
}

void begin_with(memory& memory, const settings& settings, std::span<const past_load> past) noexcept {
    gputide::forecast::memory next;
    const open_slot& open = memory.open;
    for (const past_load& load : past) {
        if (open.begun && floor_div(load.time_ms, settings.slot_ms) >= open.number) break;
        read(next, settings, load.time_ms, load.load);
    }
    if (open.begun) {
        read(next, settings, open.number * settings.slot_ms, no_number);  // ends the last slot of the past
        next.open = open;
    }
    next.booked = memory.booked;
    next.account = memory.account;
    memory = next;
}

namespace {

floor_reason why_nothing_is_asked(state state) noexcept {
    switch (state) {
        case state::off:
            return floor_reason::not_better;
        case state::spent:
            return floor_reason::budget_spent;
        case state::on:
            return floor_reason::no_recent_value;
        case state::warming:
        case state::none:
            break;
    }
    return floor_reason::warming_up;
}

std::int32_t ceil_to_int32(double value) noexcept {
    constexpr std::int32_t max = std::numeric_limits<std::int32_t>::max();
    const double up = std::ceil(value);
    return up >= max ? max : static_cast<std::int32_t>(up);
}

}  // namespace

std::string_view name(floor_reason reason) noexcept {
    static constexpr std::array<std::string_view, 11> names{
        "",           "raised",     "within_reactive", "capped_by_max",   "capped_by_raise", "observe",
        "warming_up", "not_better", "budget_spent",    "no_recent_value", "at_zero"};
    const auto number = static_cast<std::size_t>(reason);  // a negative number becomes a large one
    return number < names.size() ? names[number] : std::string_view();
}

floor_result floor_of(const floor_input& input, const settings& settings) noexcept {
    floor_result out{input.reactive};
    if (input.current == 0) {
        out.reason = floor_reason::at_zero;
        return out;
    }
    if (is_none(input.floor_load)) {
        out.reason = why_nothing_is_asked(input.state);
        return out;
    }
    out.need = ceil_to_int32(input.floor_load / input.target);
    if (out.need <= input.reactive) {
        out.reason = floor_reason::within_reactive;
        return out;
    }
    const std::int32_t cap = ceil_to_int32(input.reactive * (100 + settings.max_raise_percent) / 100);
    const std::int32_t want = std::min({out.need, cap, input.max});
    if (want <= input.reactive) {
        out.reason = floor_reason::capped_by_max;
    } else if (settings.mode == mode::observe) {
        out.reason = floor_reason::observe;
    } else {
        out.replicas = want;
        out.reason = want == out.need    ? floor_reason::raised
                     : want == input.max ? floor_reason::capped_by_max
                                         : floor_reason::capped_by_raise;
    }
    return out;
}

}  // namespace gputide::forecast
