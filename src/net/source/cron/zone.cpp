// Loads zones with cctz.
#include "base/text.hpp"
#include "source/cron/cron.hpp"

#include <algorithm>

#ifdef GPUTIDE_CCTZ_OF_ABSEIL  // the copy of cctz in Abseil's namespace
#include <absl/time/internal/cctz/include/cctz/civil_time.h>
#include <absl/time/internal/cctz/include/cctz/time_zone.h>
#else
#include <cctz/civil_time.h>
#include <cctz/time_zone.h>
#endif

namespace gputide::source::cron {
namespace {

#ifdef GPUTIDE_CCTZ_OF_ABSEIL
namespace cctz = absl::time_internal::cctz;
#endif

using seconds_point = cctz::time_point<cctz::seconds>;

const cctz::civil_second epoch(1970, 1, 1);

// Tells whether the name is a zone's: cctz would also read a file by its path, which a manifest must not do.
bool is_zone_name(std::string_view name) {
    if (name.empty() || name.front() == '/' || name.find("..") != std::string_view::npos) return false;
    return std::ranges::all_of(name, [](char c) {
        return is_letter(c) || is_digit(c) || std::string_view("/_+-").find(c) != std::string_view::npos;
    });
}

error no_zone(const std::string& name) {
    // Every tzdata contains this zone.
    cctz::time_zone greenwich;
    if (cctz::load_time_zone("Europe/London", &greenwich)) {
        return fail(error_class::config,
                    "unable to load timezone: unknown time zone {}; expected a name such as Europe/Berlin or Etc/UTC",
                    in_quotes(name));
    }
    error out = fail(error_class::unavailable,
                     "unable to load timezone {}: no time-zone data was found on this machine; install tzdata, or set "
                     "TZDIR to its folder, and restart the program",
                     in_quotes(name));
    out.service_code = "no_tzdata";
    return out;
}

}  // namespace

result<zone> zone::load(const std::string& name) {
    cctz::time_zone loaded = cctz::utc_time_zone();
    if (name == "Local") {
        loaded = cctz::local_time_zone();
    } else if (name != "UTC" && (!is_zone_name(name) || !cctz::load_time_zone(name, &loaded))) {
        return no_zone(name);
    }
    return zone([loaded](std::int64_t time_s) {
        return std::int64_t{loaded.lookup(seconds_point(cctz::seconds(time_s))).offset};
    });
}

civil_time zone::civil(std::int64_t time_s) const {
    const cctz::civil_second at = epoch + (time_s + offset_s_(time_s));
    const auto weekday = static_cast<int>(cctz::get_weekday(cctz::civil_day(at)));  // Monday is 0
    return {at.year(), at.month(), at.day(), at.hour(), at.minute(), at.second(), (weekday + 1) % 7};
}

std::int64_t zone::time_of(const civil_time& civil) const {
    const cctz::civil_second at(civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second);
    const std::int64_t as_utc_s = at - epoch;
    const std::int64_t guess_s = offset_s_(as_utc_s);
    return guess_s == 0 ? as_utc_s : as_utc_s - offset_s_(as_utc_s - guess_s);
}

}  // namespace gputide::source::cron
