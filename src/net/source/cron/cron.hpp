// The keys of a cron trigger (kedacore/keda pkg/scalers/cron_scaler.go).
#pragma once

#include "base/result.hpp"
#include "manifest/spec.hpp"
#include "source/cron/zone.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::source::cron {

inline constexpr auto keys = text::fields({
    {.names = {"timezone"},
     .required = true,
     .range = "a name of the tz database, as `Europe/Berlin`, `Etc/UTC`",
     .meaning = "the time zone of the two schedules"},
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

// A crontab line of five fields and the next time it names, as KEDA reads and steps them (robfig/cron v3.0.1 parser.go,
// spec.go, without descriptors).  Pure but for the zone's rules, which zone.hpp looks up.

// One bit per value that a field takes.
struct schedule {
    std::uint64_t minutes = 0;   // bits 0..59
    std::uint64_t hours = 0;     // 0..23
    std::uint64_t days = 0;      // of the month, 1..31
    std::uint64_t months = 0;    // 1..12
    std::uint64_t weekdays = 0;  // 0 (Sunday)..6
    // If one of the two is unrestricted (* or ?, no step above 1), a day must fit both; else either of them is enough.
    bool any_day = false;
    bool any_weekday = false;
    std::string zone;  // of "TZ=Europe/Berlin 0 8 * * *" or CRON_TZ=; "": the trigger's
};

// Fields are separated by blanks: minute, hour, day of month, month, weekday.  A field is a list of *, ?, N, N-M, each with
// /STEP (N/STEP runs to the field's end), months and weekdays also by their first three English letters in any case.
// Errors (invalid) in the words of KEDA's parser.
result<schedule> parse_schedule(std::string_view text);

// The first time after now_s that fits, in Unix seconds; nothing where none comes within five years ("0 0 30 2 *").
// A time that the clock skips in spring does not come on that day, one that it repeats in autumn comes twice.
std::optional<std::int64_t> next_after(const schedule& schedule, std::int64_t now_s, const zone& zone);

// The metadata of a cron trigger as typed settings, by KEDA's rules and in KEDA's words
// (kedacore/keda pkg/scalers/cron_scaler.go).  No I/O: the zone is looked up when the trigger is read.

struct settings {
    std::string timezone;
    std::string start_text;  // as written
    std::string end_text;
    schedule start;
    schedule end;
    std::int64_t desired_replicas = 0;
    source::target target;
};

result<settings> read_settings(const manifest::trigger& trigger, text::report* findings);

// The trigger's value at a time: desiredReplicas inside the window, 0 outside.  The window is open where its next end comes
// before its next start, or with it; so an end that never comes keeps it shut and a start that never comes keeps it open.
// Errors of the zone as in zone::load().
result<double> value_at(const settings& settings, std::int64_t now_ms);

// Trigger type cron: replicas by the clock, as KEDA's scaler of that name.  Asks no network.

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::cron
