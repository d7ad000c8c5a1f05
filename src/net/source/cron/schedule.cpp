// Parses schedules and searches the next matching time.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "source/cron/cron.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace gputide::source::cron {
namespace {

struct field_rule {
    unsigned min = 0;
    unsigned max = 0;
    std::span<const std::string_view> names = {};  // names of the values from `min` on
};

constexpr std::array<std::string_view, 12> month_names = {"jan", "feb", "mar", "apr", "may", "jun",
                                                          "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> weekday_names = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

constexpr field_rule minute_rule{0, 59, {}};
constexpr field_rule hour_rule{0, 23, {}};
constexpr field_rule day_rule{1, 31, {}};
constexpr field_rule month_rule{1, 12, month_names};
constexpr field_rule weekday_rule{0, 6, weekday_names};

constexpr int searched_years = 5;

struct field_bits {
    std::uint64_t bits = 0;
    bool any = false;
};

error refused(std::string text) { return fail(status::invalid, std::move(text)); }

result<unsigned> read_number(std::string_view text) {
    const auto number = parse_int64(text);
    if (!number) return refused("failed to parse int from " + std::string(text));
    if (*number < 0) return refused(format_text("negative number ({}) not allowed", text));
    return static_cast<unsigned>(std::min<std::int64_t>(*number, std::numeric_limits<std::int32_t>::max()));
}

result<unsigned> read_value(std::string_view text, const field_rule& rule) {
    const std::string name = lower(text);
    for (unsigned i = 0; i < rule.names.size(); ++i) {
        if (rule.names[i] == name) return rule.min + i;
    }
    return read_number(text);
}

std::uint64_t bits_of(unsigned first, unsigned last, unsigned step) {
    std::uint64_t out = 0;
    for (std::uint64_t at = first; at <= last; at += step) out |= std::uint64_t{1} << at;
    return out;
}

std::string in_range(std::string_view range) { return ": " + std::string(range); }

// Reads "*", "?", "5" or "5-10", each with optional "/2".
result<field_bits> read_range(std::string_view range, const field_rule& rule) {
    const auto range_and_step = split(range, '/');
    if (range_and_step.size() > 2) return refused("too many slashes" + in_range(range));
    const auto ends = split(range_and_step.front(), '-');
    field_bits out;
    unsigned first = rule.min;
    unsigned last = rule.max;
    out.any = ends.front() == "*" || ends.front() == "?";
    if (!out.any) {
        if (ends.size() > 2) return refused("too many hyphens" + in_range(range));
        const auto low = read_value(ends.front(), rule);
        const auto high = read_value(ends.back(), rule);
        if (!low) return low.failure();
        if (!high) return high.failure();
        first = *low;
        last = *high;
    }
    unsigned step = 1;
    if (range_and_step.size() == 2) {
        const auto written = read_number(range_and_step.back());
        if (!written) return written.failure();
        step = *written;
        if (ends.size() == 1) last = rule.max;  // "5/10" is "5-59/10"
        if (step > 1) out.any = false;
    }
    if (first < rule.min) {
        return refused(format_text("beginning of range ({}) below minimum ({}){}", first, rule.min, in_range(range)));
    }
    if (last > rule.max) {
        return refused(format_text("end of range ({}) above maximum ({}){}", last, rule.max, in_range(range)));
    }
    if (first > last) {
        return refused(format_text("beginning of range ({}) beyond end of range ({}){}", first, last, in_range(range)));
    }
    if (step == 0) return refused("step of range should be a positive number" + in_range(range));
    out.bits = bits_of(first, last, step);
    return out;
}

// Reads a field.  As in KEDA's parser, empty parts of the list are ignored: "1,,2" is "1,2", and "," matches nothing.
result<field_bits> read_field(std::string_view text, const field_rule& rule) {
    field_bits out;
    for (const std::string_view range : split(text, ',')) {
        if (range.empty()) continue;
        const auto read = read_range(range, rule);
        if (!read) return read.failure();
        out.bits |= read->bits;
        out.any = out.any || read->any;
    }
    return out;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> out;
    constexpr std::string_view blanks = " \t\n\v\f\r";
    for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
        out.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(blanks, end);
    }
    return out;
}

bool has(std::uint64_t bits, int value) { return (bits >> static_cast<unsigned>(value) & 1U) != 0; }

bool fits_day(const schedule& schedule, const civil_time& civil_time) {
    const bool day = has(schedule.days, civil_time.day);
    const bool weekday = has(schedule.weekdays, civil_time.weekday);
    return schedule.any_day || schedule.any_weekday ? day && weekday : day || weekday;
}

// A search for the next matching time.  Its steps are those of robfig/cron's Next, because near a clock change the result depends
// on the steps.
class search {
  public:
    search(const schedule& schedule, std::int64_t now_s, const zone& zone)
        : schedule_(schedule),
          zone_(zone),
          time_s_(now_s + 1),
          at_(zone.civil(time_s_)),
          last_year_(at_.year + searched_years) {}

    std::optional<std::int64_t> run() {
        if (schedule_.minutes == 0 || schedule_.hours == 0) return std::nullopt;  // a list without values: ","
        while (at_.year <= last_year_) {
            // A step that wraps around changes a larger unit, which must then be checked again.
            if (step_months() && step_days() && step_hours() && step_minutes() && step_seconds()) return time_s_;
        }
        return std::nullopt;
    }

  private:
    void go(std::int64_t time_s) {
        time_s_ = time_s;
        at_ = zone_.civil(time_s);
    }
    void go(const civil_time& civil_time) { go(zone_.time_of(civil_time)); }

    // Moves to the next day or month.  A zone may skip a whole day (Pacific/Apia had no 30 December 2011): the day after 29
    // December is then 29 December again, and robfig/cron never ends.
    void advance(const civil_time& civil_time) {
        const std::int64_t before_s = time_s_;
        go(civil_time);
        if (time_s_ <= before_s) go(before_s + 86'400);
    }

    // Tells whether this is the first step; it resets the smaller units.
    bool is_first_step() { return !std::exchange(stepped_, true); }

    bool step_months() {
        while (!has(schedule_.months, at_.month)) {
            if (is_first_step()) go({at_.year, at_.month, 1, 0, 0, 0});
            advance({at_.year, at_.month + 1, at_.day, at_.hour, at_.minute, at_.second});
            if (at_.month == 1) return false;
        }
        return true;
    }

    bool step_days() {
        while (!fits_day(schedule_, at_)) {
            if (is_first_step()) go({at_.year, at_.month, at_.day, 0, 0, 0});
            advance({at_.year, at_.month, at_.day + 1, at_.hour, at_.minute, at_.second});
            // After a clock change at midnight the day begins an hour earlier or later.
            if (at_.hour != 0) go(time_s_ + std::int64_t{at_.hour > 12 ? 24 - at_.hour : -at_.hour} * 3'600);
            if (at_.day == 1) return false;
        }
        return true;
    }

    bool step_hours() {
        while (!has(schedule_.hours, at_.hour)) {
            if (is_first_step()) go({at_.year, at_.month, at_.day, at_.hour, 0, 0});
            go(time_s_ + 3'600);
            if (at_.hour == 0) return false;
        }
        return true;
    }

    bool step_minutes() {
        while (!has(schedule_.minutes, at_.minute)) {
            if (is_first_step()) go(time_s_ - time_s_ % 60);
            go(time_s_ + 60);
            if (at_.minute == 0) return false;
        }
        return true;
    }

    bool step_seconds() {
        while (at_.second != 0) {
            stepped_ = true;
            go(time_s_ + 1);
            if (at_.second == 0) return false;
        }
        return true;
    }

    const schedule& schedule_;
    const zone& zone_;
    std::int64_t time_s_;
    civil_time at_;
    const std::int64_t last_year_;
    bool stepped_ = false;
};

}  // namespace

result<schedule> parse_schedule(std::string_view text) {
    schedule out;
    if (text.empty()) return refused("empty spec string");
    for (const std::string_view mark : {"TZ=", "CRON_TZ="}) {
        if (text.substr(0, mark.size()) != mark) continue;
        const std::size_t blank = std::min(text.find(' '), text.size());
        out.zone = text.substr(mark.size(), blank - mark.size());
        text = trim(text.substr(blank));
    }
    if (!text.empty() && text.front() == '@')
        return refused("parser does not accept descriptors: " + std::string(text));
    const auto fields = words_of(text);
    if (fields.size() != 5) {
        return refused(format_text("expected exactly 5 fields, found {}: {}", fields.size(), in_quotes(text)));
    }
    const std::array rules = {minute_rule, hour_rule, day_rule, month_rule, weekday_rule};
    std::array<field_bits, rules.size()> read;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const auto field = read_field(fields[i], rules[i]);
        if (!field) return field.failure();
        read[i] = *field;
    }
    out.minutes = read[0].bits;
    out.hours = read[1].bits;
    out.days = read[2].bits;
    out.months = read[3].bits;
    out.weekdays = read[4].bits;
    out.any_day = read[2].any;
    out.any_weekday = read[4].any;
    return out;
}

std::optional<std::int64_t> next_after(const schedule& schedule, std::int64_t now_s, const zone& zone) {
    return search(schedule, now_s, zone).run();
}

}  // namespace gputide::source::cron
