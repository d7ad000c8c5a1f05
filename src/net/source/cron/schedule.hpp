// A crontab line of five fields and the next time it names, as KEDA reads and steps them (robfig/cron v3.0.1 parser.go,
// spec.go, without descriptors).  Pure but for the zone's rules, which zone.hpp looks up.
#pragma once

#include "base/result.hpp"
#include "source/cron/zone.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::source::cron {

// One bit per value that a field takes.
struct schedule {
    std::uint64_t minutes = 0;   // bits 0..59
    std::uint64_t hours = 0;     // 0..23
    std::uint64_t days = 0;      // of the month, 1..31
    std::uint64_t months = 0;    // 1..12
    std::uint64_t weekdays = 0;  // 0 (Sunday)..6
    // Where one of the two is unrestricted (* or ?, no step above 1), a day must fit both; else one of them is enough.
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

}  // namespace gputide::source::cron
