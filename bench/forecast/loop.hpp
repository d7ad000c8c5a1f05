// A workload that is scaled by the HPA half, with or without a forecast: what docs/forecast.md's figures come from.
#pragma once

#include "decide/decide.hpp"
#include "forecast/series.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace forecast_loop {

struct plan {
    std::vector<double> loads;                          // one a minute; NaN: no value
    std::int64_t start_ms = forecast_series::start_ms;  // of the first: patterns go by the time of day and of the week
    double target = 5.0;                                // load that one replica takes
    double headroom = 0.0;                              // share of the target that the rule leaves free
    std::int64_t lead_ms = 600'000;                     // the start-up time, and what the forecast is told
    std::optional<double> budget_percent = 5.0;
    bool forecast = false;
};

struct figures {
    double under_minutes = 0.0;  // load above 1.1 · target · serving replicas
    double minutes = 0.0;
    double replica_hours = 0.0;
    std::int64_t raises = 0;          // passes that the forecast decided, the first day's as well
    std::vector<std::int32_t> sizes;  // of each pass
};

// A pass every 15 s on a reading that is 30 s old; AverageValue, tolerance 0.1, a window of 300 s, no behavior.  A new replica
// serves after the lead, and starting ones go first.  The first day is not counted.
figures run(const plan& plan);

// Under-minutes and replica-hours against the run without, in percent.
struct comparison {
    figures with;
    figures without;
    double under_percent = 0.0;
    double extra_percent = 0.0;
};
comparison compare(plan plan);

// Returns what the same money buys without a forecast: under-minutes in percent, of the reactive rule with a target lowered until it costs
// as much.
double headroom_percent(plan plan, double extra_percent);

}  // namespace forecast_loop
