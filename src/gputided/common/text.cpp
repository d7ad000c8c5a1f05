#include "common/text.hpp"

#include "common/json.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>

namespace gputided {

namespace {

// UTF-8 sequences: all bytes except the last, and the range of the last one.  shown: replacement; "" for a mark without width.
struct marks {
    const char* lead;
    unsigned char first, last;
    const char* shown;
};
constexpr marks unwanted[] = {
    {"\xC2", 0x80, 0x9F, " "},    {"\xE2\x80", 0xA8, 0xA9, " "}, {"\xE2\x80", 0x8B, 0x8F, ""},
    {"\xE2\x80", 0xAA, 0xAE, ""}, {"\xE2\x81", 0xA0, 0xA9, ""},  {"\xD8", 0x9C, 0x9C, ""},
    {"\xEF\xBB", 0xBF, 0xBF, ""},
};

const marks* mark_at(const std::string& text, std::size_t at) {
    for (const marks& mark : unwanted) {
        const std::size_t size = std::char_traits<char>::length(mark.lead);
        if (text.compare(at, size, mark.lead) != 0 || at + size >= text.size()) continue;
        const auto last = static_cast<unsigned char>(text[at + size]);
        if (last >= mark.first && last <= mark.last) return &mark;
    }
    return nullptr;
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> out(1);
    for (const char letter : text) {
        if (letter == separator) {
            out.emplace_back();
        } else {
            out.back() += letter;
        }
    }
    return out;
}

std::string cell_text(const std::string& text) {
    constexpr char margin[] = " \t\r\"";
    const std::size_t first = text.find_first_not_of(margin);
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(margin) + 1 - first);
}

void each_row(const std::string& text, char separator, const std::string& place, const std::string& path,
              const std::function<void(const std::vector<std::string>& cells, std::int64_t line)>& take) {
    std::istringstream in(text);
    std::string written;
    for (std::int64_t line = 1; std::getline(in, written); ++line) {
        const std::size_t first = written.find_first_not_of(" \t\r");
        if (first == std::string::npos || written[first] == '#') continue;
        std::vector<std::string> cells = split(written, separator);
        for (std::string& cell : cells) cell = cell_text(cell);
        try {
            take(cells, line);
        } catch (const usage_error& wrong) {
            throw usage_error(place + std::to_string(line) + ": " + wrong.what(), path, line);
        }
    }
}

std::optional<double> number_in(const std::string& text) {
    char* end = nullptr;
    const double out = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0') return std::nullopt;
    return out;
}

std::string one_line(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (const marks* found = mark_at(text, at); found != nullptr) {
            out += found->shown;
            at += std::char_traits<char>::length(found->lead);
        } else {
            out += byte < ' ' || byte == 0x7F ? ' ' : text[at];
        }
    }
    return out;
}

std::string shell_quoted(const std::string& text) {
    std::string out = "'";
    for (const char letter : text) out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return out + "'";
}

std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char letter) { return letter < ' ' || letter > '~'; }, '?');
    return text;
}

// Uses the JSON writer, which rejects text that is not UTF-8.
bool is_utf8(const std::string& text) {
    try {
        static_cast<void>(json(text).dump());
        return true;
    } catch (const json::type_error&) {
        return false;
    }
}

scaler_name split_name(const std::string& full_name) {
    const std::size_t slash = full_name.find('/');
    if (slash == std::string::npos) return {"", full_name};
    return {full_name.substr(0, slash), full_name.substr(slash + 1)};
}

std::string decimal(double value, int digits) {
    constexpr double half_counts = 1.0 + 1e-12;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value * half_counts);
    return text;
}

std::string figure(double value, int digits) {
    std::string out = decimal(value, digits);
    if (out.find('.') != std::string::npos) {
        while (out.back() == '0') out.pop_back();
        if (out.back() == '.') out.pop_back();
    }
    const std::size_t first = out[0] == '-' ? 1 : 0;
    for (std::size_t at = std::min(out.find('.'), out.size()); at > first + 3;) out.insert(at -= 3, ",");
    return out == "-0" ? "0" : out;
}

std::string sparkline(const std::vector<double>& values, std::size_t columns, std::optional<value_range> scale) {
    static const std::array<const char*, 8> eighths{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    columns = std::min(columns, values.size());
    std::vector<double> peaks(columns, NAN);  // the highest value of each column
    for (std::size_t i = 0; i < values.size(); ++i) {
        double& peak = peaks[i * columns / values.size()];
        peak = std::fmax(peak, values[i]);
    }
    double low = scale ? scale->low : INFINITY;
    double high = scale ? scale->high : -INFINITY;
    for (const double peak : peaks) {
        low = std::fmin(low, peak);
        high = std::fmax(high, peak);
    }
    std::string out;
    for (const double peak : peaks) {
        const double part = high > low ? (peak - low) / (high - low) : 0.0;
        out += std::isfinite(peak) ? eighths[static_cast<std::size_t>(std::lround(part * 7.0))] : " ";
    }
    return out;
}

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

time_span parse_span_ms(const std::string& from, const std::string& to, std::int64_t step_ms) {
    const std::int64_t now_ms = unix_now_ms();
    const auto aligned = [&](const std::string& text, const char* flag) {
        return parse_moment_ms(text, now_ms, flag) / step_ms * step_ms;
    };
    const time_span out{aligned(from, "--from"), aligned(to.empty() ? "now" : to, "--to")};
    if (out.from_ms < 0 || out.from_ms >= out.to_ms)
        throw usage_error("--from " + from + ": expected a time before --to");
    return out;
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
