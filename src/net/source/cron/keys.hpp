// The keys of a cron trigger (kedacore/keda pkg/scalers/cron_scaler.go).
#pragma once

#include "config/field.hpp"

namespace gputide::source::cron {

inline constexpr auto keys = config::fields({
    {.names = {"timezone"},
     .required = true,
     .range = "a name of the tz database, as `Europe/Berlin`, `Etc/UTC`",
     .meaning = "whose clock the two schedules mean"},
    {.names = {"start"},
     .required = true,
     .range = "minute, hour, day of month, month, weekday: `0 8 * * Mon-Fri`",
     .meaning = "when the window opens"},
    {.names = {"end"}, .required = true, .range = "as `start`, not the same text", .meaning = "when it closes"},
    {.names = {"desiredReplicas"},
     .required = true,
     .range = "a whole number above 0",
     .meaning = "replicas inside the window; outside the value is 0"},
});

}  // namespace gputide::source::cron
