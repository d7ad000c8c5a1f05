// Converts between Unix time and the local time of a time zone.  Reads the machine's tzdata once per zone; cctz caches it.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace gputide::source::cron {

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

}  // namespace gputide::source::cron
