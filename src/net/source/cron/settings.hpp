// The metadata of a cron trigger as typed settings, by KEDA's rules and in KEDA's words
// (kedacore/keda pkg/scalers/cron_scaler.go).  No I/O: the zone is looked up when the trigger is read.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/cron/schedule.hpp"
#include "source/description.hpp"

#include <cstdint>
#include <string>

namespace gputide::source::cron {

struct settings {
    std::string timezone;
    std::string start_text;  // as written
    std::string end_text;
    schedule start;
    schedule end;
    std::int64_t desired_replicas = 0;
    source::target target;
};

result<settings> read_settings(const config::trigger& trigger, config::report* findings);

// The trigger's value at a time: desiredReplicas inside the window, 0 outside.  The window is open where its next end comes
// before its next start, or with it; so an end that never comes keeps it shut and a start that never comes keeps it open.
// Errors of the zone as in zone::load().
result<double> value_at(const settings& settings, std::int64_t now_ms);

}  // namespace gputide::source::cron
