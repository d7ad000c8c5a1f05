// Which metric of a policy is forecast, and how: gputide.io/forecast and its companions as the decision takes them.
#pragma once

#include "base/result.hpp"
#include "config/scaling.hpp"
#include "forecast/settings.hpp"

#include <cstdint>
#include <memory>

namespace gputide::decide {

struct policy;

struct forecast_rule {
    forecast::settings settings;
    std::int32_t metric = 0;    // index into policy.metrics, or composite_metric
    double target = 1.0;        // load that one replica takes
    std::uint32_t subject = 0;  // what is forecast: the metric's name, kind and question; another one starts anew
};

// Null where gputide.io/forecast is off.  Fails where gputide.io/forecast-metric names no metric that can be forecast, and where
// no metric has a target.
result<std::shared_ptr<const forecast_rule>> make_forecast_rule(const policy& policy);

}  // namespace gputide::decide
