// A time zone: its clock at a time, and a time of its clock.  Reads the machine's tzdata once a zone; cctz keeps it.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace gputide::source::cron {

// As a calendar shows it.  Where a time is made of it, a day or month beyond its end runs on into the next one.
struct civil_time {
    std::int64_t year = 1970;
    int month = 1;
    int day = 1;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int weekday = 0;  // 0: Sunday; not looked at where a time is made
};

class zone {
  public:
    // "Europe/Berlin", "Etc/UTC", "UTC", "Local".  Errors: no tzdata on this machine (class unavailable, code no_tzdata); no zone
    // of that name (class config).
    static result<zone> load(const std::string& name);

    civil_time civil(std::int64_t time_s) const;

    // A time that the clock skips or shows twice is taken as Go's time.Date takes it: by the offset that holds at that
    // reading as if it were UTC, corrected once.
    std::int64_t time_of(const civil_time& civil) const;

  private:
    explicit zone(std::function<std::int64_t(std::int64_t)> offset_s) : offset_s_(std::move(offset_s)) {}

    std::function<std::int64_t(std::int64_t)> offset_s_;  // east of Greenwich at a Unix time
};

}  // namespace gputide::source::cron
