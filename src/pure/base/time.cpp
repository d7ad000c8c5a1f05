#include "base/time.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace gputide {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t minute_ms = 60 * second_ms;
constexpr std::int64_t hour_ms = 60 * minute_ms;
constexpr std::int64_t day_ms = 24 * hour_ms;

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> weekdays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

// Parses texts from the left.  After a step that does not match, the reader has failed and all later steps return 0.
class reader {
  public:
    explicit reader(std::string_view text) : rest_(text) {}

    bool good() const { return good_; }
    bool at_end() const { return good_ && rest_.empty(); }
    char next() const { return rest_.empty() ? '\0' : rest_.front(); }

    int number(std::size_t width) {
        if (rest_.size() < width || !std::all_of(rest_.begin(), rest_.begin() + static_cast<int>(width), is_digit)) {
            good_ = false;
        }
        if (!good_) return 0;
        int value = 0;
        for (const char c : rest_.substr(0, width)) value = value * 10 + (c - '0');
        rest_.remove_prefix(width);
        return value;
    }

    void expect(std::string_view text) {
        if (rest_.substr(0, text.size()) != text) good_ = false;
        if (good_) rest_.remove_prefix(text.size());
    }

    // Returns the index of the next word in `words`.
    template <std::size_t N>
    unsigned one_of(const std::array<std::string_view, N>& words) {
        for (unsigned i = 0; i < N; ++i) {
            if (rest_.substr(0, words[i].size()) == words[i]) {
                expect(words[i]);
                return i;
            }
        }
        good_ = false;
        return 0;
    }

    std::string_view digits() {
        const std::size_t size = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        const std::string_view out = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return out;
    }

    void require(bool holds) { good_ = good_ && holds; }

  private:
    std::string_view rest_;
    bool good_ = true;
};

// Appends a value of 0 or more that has at most `width` digits.
void append_padded(std::string& out, std::int64_t value, std::size_t width) {
    out.append(width, '0');
    for (std::size_t at = out.size(); value > 0; value /= 10) out[--at] = static_cast<char>('0' + value % 10);
}

struct clock_time {
    int hour = 0;
    int minute = 0;
    int second = 0;
    std::int64_t ms() const { return hour * hour_ms + minute * minute_ms + second * second_ms; }
};

// Parses "10:00:00".  Rejects second 60, as Go does.
clock_time read_clock(reader& reader) {
    clock_time out;
    out.hour = reader.number(2);
    reader.expect(":");
    out.minute = reader.number(2);
    reader.expect(":");
    out.second = reader.number(2);
    reader.require(out.hour < 24 && out.minute < 60 && out.second < 60);
    return out;
}

std::int64_t day_start_ms(reader& reader, int year_number, unsigned month, unsigned day) {
    const year_month_day date{year(year_number), std::chrono::month(month), std::chrono::day(day)};
    reader.require(year_number >= 1 && date.ok());
    return reader.good() ? sys_days(date).time_since_epoch().count() * day_ms : 0;
}

// Parses a fraction: ".123456" → 123; nothing → 0.
std::int64_t read_fraction_ms(reader& reader) {
    if (reader.next() != '.') return 0;
    reader.expect(".");
    const std::string_view digits = reader.digits();
    reader.require(!digits.empty());
    std::int64_t ms = 0;
    for (std::size_t i = 0; i < 3; ++i) ms = ms * 10 + (i < digits.size() ? digits[i] - '0' : 0);
    return ms;
}

// Parses an offset: "Z", "+02:00" → the milliseconds to subtract for UTC.
std::int64_t read_offset_ms(reader& reader) {
    if (reader.next() == 'Z' || reader.next() == 'z') {
        reader.expect(std::string_view(reader.next() == 'Z' ? "Z" : "z"));
        return 0;
    }
    const bool minus = reader.next() == '-';
    reader.expect(minus ? "-" : "+");
    const int hours = reader.number(2);
    reader.expect(":");
    const int minutes = reader.number(2);
    reader.require(hours < 24 && minutes < 60);
    const std::int64_t offset = hours * hour_ms + minutes * minute_ms;
    return minus ? -offset : offset;
}

// Clamps the time to the years that the format can write.
std::int64_t within_format(std::int64_t unix_ms) {
    constexpr std::int64_t first = -62'135'596'800'000;  // 0001-01-01T00:00:00.000Z
    constexpr std::int64_t last = 253'402'300'799'999;   // 9999-12-31T23:59:59.999Z
    return std::clamp(unix_ms, first, last);
}

void append_format(std::string& out, std::int64_t unix_ms, bool with_ms) {
    const std::chrono::sys_time<milliseconds> moment{milliseconds(within_format(unix_ms))};
    const sys_days day = std::chrono::floor<days>(moment);
    const year_month_day date(day);
    const std::int64_t ms = (moment - day).count();
    append_padded(out, static_cast<int>(date.year()), 4);
    append_padded(out += '-', static_cast<unsigned>(date.month()), 2);
    append_padded(out += '-', static_cast<unsigned>(date.day()), 2);
    append_padded(out += 'T', ms / hour_ms, 2);
    append_padded(out += ':', ms / minute_ms % 60, 2);
    append_padded(out += ':', ms / second_ms % 60, 2);
    if (with_ms) append_padded(out += '.', ms % second_ms, 3);
    out += 'Z';
}

std::string formatted(std::int64_t unix_ms, bool with_ms) {
    std::string out;
    out.reserve(sizeof "2026-11-21T10:00:00.000Z");
    append_format(out, unix_ms, with_ms);
    return out;
}

// A unit of a Go duration in nanoseconds, with its name; µ is U+00B5 or U+03BC.
struct unit {
    std::string_view name;
    std::uint64_t ns;
};
constexpr std::array units{
    unit{"ns", 1},         unit{"us", 1'000},        unit{"\xC2\xB5s", 1'000},  unit{"\xCE\xBCs", 1'000},
    unit{"ms", 1'000'000}, unit{"s", 1'000'000'000}, unit{"m", 60'000'000'000}, unit{"h", 3'600'000'000'000}};

constexpr std::uint64_t max_ns = std::uint64_t{1} << 63;  // the lowest int64, without its sign

// Parses the digits after the point as a fraction of the unit.  Digits that do not fit 63 bits are dropped; the product is
// computed in doubles, as in Go's time.ParseDuration.
std::uint64_t fraction_ns(std::string_view digits, std::uint64_t unit_ns) {
    std::uint64_t fraction = 0;
    double scale = 1.0;
    for (const char c : digits) {
        if (fraction > (max_ns - 1) / 10 - 1) break;
        fraction = fraction * 10 + static_cast<std::uint64_t>(c - '0');
        scale *= 10.0;
    }
    return static_cast<std::uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit_ns) / scale));
}

// Parses a number with its unit, "1.5s", from the front of `text`; returns nanoseconds, at most 2^63.
std::optional<std::uint64_t> take_piece(std::string_view& text) {
    reader in(text);
    const std::string_view whole = in.digits();
    const bool point = in.next() == '.';
    if (point) in.expect(".");
    const std::string_view fraction = point ? in.digits() : std::string_view();
    if (whole.empty() && fraction.empty()) return std::nullopt;
    text.remove_prefix(whole.size() + fraction.size() + (point ? 1 : 0));

    const std::size_t name_size = std::min(text.find_first_of(".0123456789"), text.size());
    const std::string_view name = text.substr(0, name_size);
    const auto* found = std::ranges::find_if(units, [&](const unit& unit) { return unit.name == name; });
    if (found == units.end()) return std::nullopt;
    text.remove_prefix(name_size);

    std::uint64_t ns = 0;
    for (const char c : whole) {
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (ns > (max_ns / found->ns - digit) / 10) return std::nullopt;
        ns = ns * 10 + digit;
    }
    ns *= found->ns;
    const std::uint64_t part_ns = fraction_ns(fraction, found->ns);
    if (ns > max_ns - part_ns) return std::nullopt;
    return ns + part_ns;
}

}  // namespace

std::string format_rfc3339_ms(std::int64_t unix_ms) { return formatted(unix_ms, true); }

void append_rfc3339_ms(std::string& out, std::int64_t unix_ms) { append_format(out, unix_ms, true); }

std::string format_rfc3339_s(std::int64_t unix_ms) { return formatted(unix_ms, false); }

std::optional<std::int64_t> parse_rfc3339(std::string_view text) {
    reader in(text);
    const int year_number = in.number(4);
    in.expect("-");
    const int month = in.number(2);
    in.expect("-");
    const int day = in.number(2);
    in.expect(in.next() == 't' ? "t" : "T");
    const std::int64_t clock_ms = read_clock(in).ms();
    const std::int64_t fraction_ms = read_fraction_ms(in);
    const std::int64_t offset_ms = read_offset_ms(in);
    const std::int64_t start_ms =
        day_start_ms(in, year_number, static_cast<unsigned>(month), static_cast<unsigned>(day));
    if (!in.at_end()) return std::nullopt;
    return start_ms + clock_ms + fraction_ms - offset_ms;
}

std::optional<std::int64_t> parse_http_date(std::string_view text) {
    reader in(text);
    in.one_of(weekdays);  // not compared with the date: a wrong weekday does not change the time
    in.expect(", ");
    const int day = in.number(2);
    in.expect(" ");
    const unsigned month = in.one_of(months) + 1;
    in.expect(" ");
    const int year_number = in.number(4);
    in.expect(" ");
    const std::int64_t clock_ms = read_clock(in).ms();
    in.expect(" GMT");
    const std::int64_t start_ms = day_start_ms(in, year_number, month, static_cast<unsigned>(day));
    if (!in.at_end()) return std::nullopt;
    return start_ms + clock_ms;
}

std::optional<std::int64_t> parse_go_duration_ms(std::string_view text) {
    const bool negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    if (text == "0") return 0;
    if (text.empty()) return std::nullopt;
    std::uint64_t ns = 0;
    while (!text.empty()) {
        const std::optional<std::uint64_t> piece = take_piece(text);
        if (!piece || ns > max_ns - *piece) return std::nullopt;
        ns += *piece;
    }
    if (ns == max_ns && !negative) return std::nullopt;
    const auto ms = static_cast<std::int64_t>(ns / 1'000'000);
    return negative ? -ms : ms;
}

std::string format_duration_ms(std::int64_t ms) {
    if (ms == 0) return "0s";
    std::string out(ms < 0 ? "-" : "");
    // Uses unsigned arithmetic, since the lowest int64 has no positive counterpart.
    std::uint64_t left = ms < 0 ? 0 - static_cast<std::uint64_t>(ms) : static_cast<std::uint64_t>(ms);
    if (left < second_ms) return format_text("{}{}ms", out, left);
    const std::uint64_t hours = left / hour_ms;
    left %= hour_ms;
    const std::uint64_t minutes = left / minute_ms;
    left %= minute_ms;
    if (hours > 0) out += format_text("{}h", hours);
    if (minutes > 0) out += format_text("{}m", minutes);
    if (left == 0) return out;
    out += std::to_string(left / second_ms);
    if (const std::uint64_t fraction = left % second_ms; fraction > 0) {
        append_padded(out += '.', static_cast<std::int64_t>(fraction), 3);
        out.erase(out.find_last_not_of('0') + 1);
    }
    return out += 's';
}

}  // namespace gputide
