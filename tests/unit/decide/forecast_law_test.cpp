// Checks what holds of a forecast in a decision on any input and through any disturbance: observe changes nothing, act never jumps beyond
// max-raise, and a save and load at any step is not noticed.
#include "decide/state/text.hpp"
#include "decide/trace/trace.hpp"
#include "forecast/series.hpp"
#include "forecast_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gputide::decide {
namespace {

using scene::day_ms;
using scene::driven;
using scene::minute_ms;
using scene::no_value;
using scene::office_at;
using scene::pass_ms;
using scene::value;
using scene::with_forecast;

double chance(std::int64_t of) { return forecast_series::uniform(static_cast<std::uint64_t>(of) + 5'000'000); }

struct input {
    const char* name;
    double (*load)(std::int64_t at_ms);
};

constexpr input inputs[] = {
    {"random", [](std::int64_t at_ms) { return 200 * chance(at_ms / minute_ms); }},
    {"constant", [](std::int64_t) { return 80.0; }},
    {"saw-tooth at the lead", [](std::int64_t at_ms) { return at_ms / minute_ms % 6 < 3 ? 20.0 : 100.0; }},
    {"rare peak", [](std::int64_t at_ms) { return at_ms / minute_ms % 1440 == 600 ? 1000.0 : 50.0; }},
    {"hourly job", [](std::int64_t at_ms) { return at_ms / minute_ms % 60 < 10 ? 100.0 : 20.0; }},
    {"growing", [](std::int64_t at_ms) { return 5 + static_cast<double>(at_ms) / day_ms * 60; }},
    {"office", &office_at}};

// A bad scrape may bring: nothing, no number, a counter that started anew, a broken sample.
sample disturbed(std::int64_t at_ms) {
    const double drawn = chance(at_ms / pass_ms + 1'000'000);
    if (drawn < 0.02) return no_value(sample_state::not_a_number);
    if (drawn < 0.04) return no_value(sample_state::timeout);
    if (drawn < 0.05) return value(0);
    if (drawn < 0.055) return value(1e12);
    if (at_ms % day_ms / 3'600'000 == 13) return no_value(sample_state::empty);  // an hour of nothing
    return value(office_at(at_ms));
}

// Late, early, back by two hours, ahead by a day; never for long.
std::int64_t shaken(std::int64_t at_ms) {
    const double drawn = chance(at_ms / pass_ms + 2'000'000);
    if (drawn < 0.001) return at_ms - 7'200'000;
    if (drawn < 0.002) return at_ms + day_ms;
    if (drawn < 0.02) return at_ms - 70'000;
    return at_ms;
}

TEST(ForecastLaw, ObserveChangesNoDecisionOnAnyInput) {
    for (const input& entry : inputs) {
        driven off(with_forecast(manifest::forecast_mode::off), 4);
        driven observed(with_forecast(manifest::forecast_mode::observe), 4);
        for (std::int64_t at_ms = 0; at_ms < 2 * day_ms; at_ms += pass_ms) {
            const decision a = off.tick(at_ms, {value(entry.load(at_ms))});
            const decision b = observed.tick(at_ms, {value(entry.load(at_ms))});
            ASSERT_EQ(a.desired_replicas, b.desired_replicas) << entry.name << " " << at_ms;
            ASSERT_EQ(a.limited_by, b.limited_by) << entry.name << " " << at_ms;
            ASSERT_EQ(a.next_due_ms, b.next_due_ms) << entry.name << " " << at_ms;
        }
    }
}

TEST(ForecastLaw, ObserveChangesNoDecisionOnABadDay) {
    driven off(with_forecast(manifest::forecast_mode::off), 4);
    driven observed(with_forecast(manifest::forecast_mode::observe), 4);
    for (std::int64_t at_ms = 0; at_ms < 3 * day_ms; at_ms += pass_ms) {
        const decision a = off.tick(shaken(at_ms), {disturbed(at_ms)});
        const decision b = observed.tick(shaken(at_ms), {disturbed(at_ms)});
        ASSERT_EQ(a.desired_replicas, b.desired_replicas) << at_ms;
        ASSERT_EQ(a.limited_by, b.limited_by) << at_ms;
    }
}

TEST(ForecastLaw, NoJumpBeyondMaxRaiseOnABadDay) {
    driven scaler(with_forecast(manifest::forecast_mode::act), 4);
    std::int64_t raised = 0;
    for (std::int64_t at_ms = 0; at_ms < 6 * day_ms; at_ms += pass_ms) {
        trace why;
        const decision made = scaler.look(shaken(at_ms), {disturbed(at_ms)}, &why);
        const forecast_trace& seen = why.forecast;
        if (seen.floor.reason != forecast::floor_reason::none) {
            ASSERT_GE(seen.floor.replicas, seen.reactive) << at_ms;
            ASSERT_LE(seen.floor.replicas, 3 * std::int64_t{seen.reactive}) << at_ms;
            ASSERT_LE(made.desired_replicas,
                      std::max<std::int64_t>(made.current_replicas, 3 * std::int64_t{std::max(seen.reactive, 1)}))
                << at_ms;
        }
        if (made.limited_by == limit::forecast) ++raised;
        scaler.replicas = made.desired_replicas;
        decision written = made;
        record_applied(scaler.by, scaler.with, written, scene::start_ms + shaken(at_ms));
        const forecast::memory& memory = scaler.with.forecast.front().memory;
        ASSERT_TRUE(std::isfinite(memory.account.extra) && std::isfinite(memory.score.loss)) << at_ms;
    }
    EXPECT_GT(raised, 0) << "and it still works";
}

TEST(ForecastLaw, ASaveAndLoadOnABadDayChangesNothing) {
    driven whole(with_forecast(manifest::forecast_mode::act), 4);
    driven cut(with_forecast(manifest::forecast_mode::act), 4);
    for (std::int64_t at_ms = 0; at_ms < 2 * day_ms; at_ms += pass_ms) {
        const decision a = whole.tick(shaken(at_ms), {disturbed(at_ms)});
        const decision b = cut.tick(shaken(at_ms), {disturbed(at_ms)});
        ASSERT_EQ(a.desired_replicas, b.desired_replicas) << at_ms;
        if (at_ms / pass_ms % 61 != 0) continue;
        result<state> again = load_state(cut.by, save_state(cut.by, cut.with));
        ASSERT_TRUE(again.ok()) << again.failure().message;
        cut.with = *std::move(again);
    }
    EXPECT_EQ(save_state(whole.by, whole.with), save_state(cut.by, cut.with));
}

// 25 MB for a thousand scalers at a lead of an hour, which has the most to keep.
TEST(ForecastLaw, AThousandStatesSaveAndLoad) {
    policy by = with_forecast(manifest::forecast_mode::act);
    by.scaling.extra.forecast.lead_ms = 3'600'000;
    by = *make_policy(by.scaling, by.metrics);
    driven driven(by, 4);
    constexpr std::int64_t learned_ms = 9 * day_ms;  // each place in the week was seen
    for (std::int64_t at_ms = 0; at_ms < learned_ms; at_ms += pass_ms) driven.tick(at_ms, {value(office_at(at_ms))});
    std::vector<std::string> saved;
    std::size_t bytes = 0;
    for (int scaler = 0; scaler < 1'000; ++scaler) {
        if (scaler % 100 == 0) driven.tick(learned_ms + scaler * pass_ms, {value(50 + scaler % 7)});
        saved.push_back(save_state(driven.by, driven.with));
        bytes += saved.back().size();
        ASSERT_LE(saved.back().size(), 28U * 1024);
    }
    EXPECT_GT(bytes, 18'000'000U);
    EXPECT_LT(bytes, 28'000'000U);
    for (const std::string& text : saved) {
        const result<state> again = load_state(driven.by, text);
        ASSERT_TRUE(again.ok());
        ASSERT_EQ(save_state(driven.by, *again), text);
    }
}

}  // namespace
}  // namespace gputide::decide
