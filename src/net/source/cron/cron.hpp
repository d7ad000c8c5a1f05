// The trigger type cron (kedacore/keda pkg/scalers/cron_scaler.go): keys, schedules, settings, value.
#pragma once

#include "base/result.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::source::cron {

// Converts between Unix time and the local time of a time zone.  Reads the machine's tzdata once per zone; cctz caches it.

// A local date and time.  For conversion to Unix time, a day or month beyond its range carries over into the next month or year.
struct civil_time {
    std::int64_t year = 1970;
    int month = 1;
    int day = 1;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int weekday = 0;  // 0: Sunday; ignored in conversion to Unix time
};

class zone {
  public:
    // Loads "Europe/Berlin", "Etc/UTC", "UTC" or "Local".  Errors: no tzdata on this machine (class unavailable, code no_tzdata);
    // unknown zone (class config).
    static result<zone> load(const std::string& name);

    civil_time civil(std::int64_t time_s) const;

    // Converts to Unix time.  For a local time that is skipped or repeated, follows Go's time.Date: takes the offset that holds
    // at this reading as if it were UTC, and corrects it once.
    std::int64_t time_of(const civil_time& civil) const;

  private:
    explicit zone(std::function<std::int64_t(std::int64_t)> offset_s) : offset_s_(std::move(offset_s)) {}

    std::function<std::int64_t(std::int64_t)> offset_s_;  // seconds east of Greenwich at a Unix time
};

inline constexpr auto keys = text::fields({
    {.names = {"timezone"},
     .required = true,
     .range = "a name of the tz database, such as `Europe/Berlin` or `Etc/UTC`",
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

// A crontab line of five fields and its next time, as KEDA parses and evaluates it (robfig/cron v3.0.1 parser.go, spec.go,
// without descriptors).  Pure except for the zone's rules, which zone.cpp loads.

// Bit sets of the matching values of each field.
struct schedule {
    std::uint64_t minutes = 0;   // bits 0..59
    std::uint64_t hours = 0;     // 0..23
    std::uint64_t days = 0;      // of the month, 1..31
    std::uint64_t months = 0;    // 1..12
    std::uint64_t weekdays = 0;  // 0 (Sunday)..6
    // If either is true (* or ? with no step above 1), a day must match both fields; otherwise one match is enough.
    bool any_day = false;
    bool any_weekday = false;
    std::string zone;  // from "TZ=Europe/Berlin 0 8 * * *" or CRON_TZ=; "": the trigger's timezone
};

// Parses five fields separated by blanks: minute, hour, day of month, month, weekday.  A field is a list of *, ?, N, N-M, each
// with optional /STEP (N/STEP runs to the field's maximum); months and weekdays also as their first three English letters in any
// case.  Errors (invalid) have the texts of KEDA's parser.
result<schedule> parse_schedule(std::string_view text);

// Returns the first matching time after now_s in Unix seconds, or nullopt if there is none within five years ("0 0 30 2 *").  A
// local time that is skipped in spring does not match on that day; one that is repeated in autumn matches twice.
std::optional<std::int64_t> next_after(const schedule& schedule, std::int64_t now_s, const zone& zone);

// Typed settings of a cron trigger, with KEDA's rules and error texts (kedacore/keda pkg/scalers/cron_scaler.go).  No I/O: the
// zone is loaded when the trigger is fetched.

struct settings : common_settings {
    std::string timezone;
    std::string start_text;  // as written
    std::string end_text;
    schedule start;
    schedule end;
    std::int64_t desired_replicas = 0;
};

result<settings> read_settings(trigger_reader& read);

// Returns desiredReplicas inside the window and 0 outside.  The window is open if its next end is not after its next start.  So
// an end that never occurs keeps the window closed, and a start that never occurs keeps it open.  Errors of the zone are those of
// zone::load().
result<double> value_at(const settings& settings, std::int64_t now_ms);

// The trigger type cron: replicas by the clock, as in KEDA.  Uses no network.

result<description> describe(trigger_reader& read);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::cron
