#include "common/times.hpp"

#include "common/log.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace gputided {

namespace {

struct clock_text {
    std::tm utc{};
    int milliseconds = 0;
    int offset_s = 0;
};

bool all_digits(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns 250 for "25"; ignores digits after the third.
int milliseconds_of(const std::string& digits) { return std::stoi((digits + "00").substr(0, 3)); }

bool read_zone(const std::string& zone, int& offset_s) {
    if (zone == "Z" || zone == "z") return offset_s = 0, true;
    int hours = 0;
    int minutes = 0;
    char sign = 0;
    char more = 0;
    if (std::sscanf(zone.c_str(), "%c%2d:%2d%c", &sign, &hours, &minutes, &more) != 3) return false;
    if ((sign != '+' && sign != '-') || hours > 23 || minutes > 59) return false;
    offset_s = (hours * 60 + minutes) * 60 * (sign == '-' ? -1 : 1);
    return true;
}

bool read_clock(const std::string& text, clock_text& out) {
    int used = 0;
    std::tm& at = out.utc;
    if (std::sscanf(text.c_str(), "%4d-%2d-%2d%*1[Tt ]%2d:%2d:%2d%n", &at.tm_year, &at.tm_mon, &at.tm_mday, &at.tm_hour,
                    &at.tm_min, &at.tm_sec, &used) != 6 ||
        used == 0) {
        return false;
    }
    at.tm_year -= 1900;
    at.tm_mon -= 1;
    std::string rest = text.substr(static_cast<std::size_t>(used));
    if (!rest.empty() && rest[0] == '.') {
        const std::size_t end = rest.find_first_not_of("0123456789", 1);
        if (end == std::string::npos || end == 1) return false;
        out.milliseconds = milliseconds_of(rest.substr(1, end - 1));
        rest = rest.substr(end);
    }
    return read_zone(rest, out.offset_s);
}

bool same_day_and_time(const std::tm& a, const std::tm& b) {
    return a.tm_mon == b.tm_mon && a.tm_mday == b.tm_mday && a.tm_hour == b.tm_hour && a.tm_min == b.tm_min &&
           a.tm_sec == b.tm_sec;
}

constexpr std::int64_t max_duration_ms = 36'500LL * 86'400'000;

std::int64_t unit_ms(const std::string& name) {
    if (name == "ms") return 1;
    if (name == "s") return 1'000;
    if (name == "m") return 60'000;
    if (name == "h") return 3'600'000;
    return name == "d" ? 86'400'000 : 0;
}

}  // namespace

std::int64_t parse_time_ms(const std::string& text, const char* flag) {
    if (all_digits(text) && text.size() <= 15) return std::stoll(text);
    clock_text read;
    if (!read_clock(text, read)) {
        throw usage_error(std::string(flag) + " " + text +
                          ": expected RFC 3339 (2026-11-21T10:00:00Z) or Unix milliseconds");
    }
    const std::tm written = read.utc;
    const std::time_t seconds = ::timegm(&read.utc);  // changes April 31st to May 1st
    if (!same_day_and_time(written, read.utc))
        throw usage_error(std::string(flag) + " " + text + ": this day or time does not exist");
    return (static_cast<std::int64_t>(seconds) - read.offset_s) * 1000 + read.milliseconds;
}

std::int64_t parse_cell_time_ms(const std::string& cell) {
    constexpr double first_in_ms = 1e11;              // as seconds the year 5138, as milliseconds March 1973
    constexpr double end_ms = 253'402'300'800'000.0;  // the year 10000
    const std::optional<double> number = number_in(cell);
    if (!number) return parse_time_ms(cell, "time");
    const double time_ms = *number >= first_in_ms ? *number : *number * 1000.0;
    if (!(time_ms >= 0.0 && time_ms < end_ms))
        throw usage_error("time " + printable(cell) + ": expected a time between 1970 and 9999");
    return std::llround(time_ms);
}

std::int64_t time_or_now_ms(const std::string& at) { return at.empty() ? unix_now_ms() : parse_time_ms(at); }

std::int64_t parse_duration_ms(const std::string& text, const char* flag) {
    std::int64_t out = 0;
    for (std::size_t at = 0; at < text.size() || at == 0;) {
        const std::size_t unit = std::min(text.find_first_not_of("0123456789", at), text.size());
        const std::size_t end = std::min(text.find_first_of("0123456789", unit), text.size());
        const std::int64_t each_ms = unit_ms(text.substr(unit, end - unit));
        if (unit == at || unit - at > 12 || each_ms == 0) {
            throw usage_error(std::string(flag) + " " + text + ": expected a duration like 15s, 1m30s, 12h or 7d");
        }
        out += std::stoll(text.substr(at, unit - at)) * each_ms;
        at = end;
        if (out > max_duration_ms) throw usage_error(std::string(flag) + " " + text + ": more than 100 years");
    }
    return out;
}

std::int64_t parse_moment_ms(const std::string& text, std::int64_t now_ms, const char* flag) {
    if (text == "now") return now_ms;
    if (text.empty() || text[0] != '-') return parse_time_ms(text, flag);
    try {
        return now_ms - parse_duration_ms(text.substr(1), flag);
    } catch (const usage_error&) {
        throw usage_error(std::string(flag) + " " + text + ": expected a time before now such as -15m, -12h or -7d");
    }
}

std::string time_text(std::int64_t time_ms) {
    const auto seconds = static_cast<std::time_t>(time_ms / 1000);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    char text[96];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900, utc.tm_mon + 1,
                  utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, static_cast<int>(time_ms % 1000));
    return text;
}

}  // namespace gputided
