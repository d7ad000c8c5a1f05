// Parses a saved forecast; text.hpp has the format.  Any unexpected byte, and any number that save() cannot write, is
// an error.
#include "base/checksum.hpp"
#include "base/format_text.hpp"
#include "forecast/forecast.hpp"
#include "forecast/text.hpp"

#include <limits>
#include <span>

namespace gputide::forecast {

namespace {

// Limit for sums of loads over a day, and of their squares; a larger saved number is invalid and could become infinite.
constexpr double largest_load = 1e110;
constexpr double largest_square = 1e210;
constexpr std::int64_t largest_count = std::int64_t{1} << 53;

error refused(const std::string& why) {
    return fail(status::state, format_text("saved forecast: {}; start with a fresh one, or give the one saved", why));
}

double number(text_cursor& cursor, double least, double most) {
    const auto value = cursor.number<double>();
    if (!(value >= least && value <= most)) cursor.refuse();
    return cursor.ok() ? value : 0.0;
}

double load_number(text_cursor& cursor) { return number(cursor, -largest_load, largest_load); }
double square_number(text_cursor& cursor) { return number(cursor, -largest_square, largest_square); }
double share_number(text_cursor& cursor) { return number(cursor, 0, largest_load); }

double load_or_none(text_cursor& cursor) { return cursor.take("null") ? no_number : load_number(cursor); }

std::int64_t count_number(text_cursor& cursor) {
    const auto value = cursor.number<std::int64_t>();
    if (value < 0 || value > largest_count) cursor.refuse();
    return cursor.ok() ? value : 0;
}

std::int64_t slot_number(text_cursor& cursor) {
    const auto value = cursor.number<std::int64_t>();
    if (value > farthest_time_ms || value < -farthest_time_ms) cursor.refuse();
    return cursor.ok() ? value : 0;
}

// Reads [a,b,...]: as many as `numbers` holds.
template <class Number, class Read>
void read_all(text_cursor& cursor, std::span<Number> numbers, Read read) {
    cursor.expect("[");
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) cursor.expect(",");
        numbers[i] = read(cursor);
    }
    cursor.expect("]");
}

std::uint8_t visit_count(text_cursor& cursor) {
    const auto value = cursor.number<std::int32_t>();
    if (value < 0 || value > std::numeric_limits<std::uint8_t>::max()) cursor.refuse();
    return cursor.ok() ? static_cast<std::uint8_t>(value) : std::uint8_t{0};
}

void read_profile(text_cursor& cursor, std::string_view key, std::span<double> means, std::span<std::uint8_t> visits,
                  open_bucket& open) {
    read_all(cursor.expect(key).expect("["), means, &load_number);
    read_all(cursor.expect(","), visits, &visit_count);
    open.number = slot_number(cursor.expect(",["));
    open.sum = load_number(cursor.expect(","));
    open.count = count_number(cursor.expect(","));
    cursor.expect("]]");
}

void read_open(text_cursor& cursor, memory& out) {
    out.open.begun = !cursor.expect(",\"open\":").take("null");
    if (out.open.begun) {
        out.open.number = slot_number(cursor.expect("["));
        out.open.sum = share_number(cursor.expect(","));
        out.open.count = count_number(cursor.expect(","));
        out.open.late = count_number(cursor.expect(","));
        cursor.expect("]");
    }
    out.booked.extra = load_number(cursor.expect(",\"booked\":["));
    out.booked.shadow = share_number(cursor.expect(","));
    out.booked.passes = count_number(cursor.expect(","));
    out.begun = !cursor.expect("],\"ended\":").take("null");
    if (out.begun) out.ended = slot_number(cursor);
    out.peak = share_number(cursor.expect(",\"peak\":"));
}

void read_learned(text_cursor& cursor, weights& out) {
    read_all<double>(cursor.expect(",\"learned\":["), out.products, &square_number);
    read_all<double>(cursor.expect(","), out.targets, &square_number);
    out.loads = square_number(cursor.expect(","));
    out.usual_error = share_number(cursor.expect(","));
    read_all<double>(cursor.expect(","), out.values, [](text_cursor& text) { return number(text, -0.5, 1.5); });
    cursor.expect("]");
}

void read_band(text_cursor& cursor, band& out) {
    out.width = number(cursor.expect(","), 0, 10);
    out.scale = share_number(cursor.expect(","));
}

void read_score(text_cursor& cursor, score& out) {
    out.loss = share_number(cursor.expect(",\"score\":["));
    for (double* sum : {&out.loss_last_value, &out.error, &out.error_last_value, &out.held, &out.count}) {
        *sum = share_number(cursor.expect(","));
    }
    read_band(cursor, out.edge);
    read_band(cursor, out.edge_last_value);
    out.scored = count_number(cursor.expect(","));
    out.in_use = cursor.expect(",").boolean();
    cursor.expect("]");
}

row read_row(text_cursor& cursor) {
    row out;
    if (cursor.take("null")) return out;
    cursor.expect("[");
    for (double& factor : out.factors) {
        factor = load_number(cursor);
        cursor.expect(",");
    }
    out.value = share_number(cursor);
    out.forecast = share_number(cursor.expect(","));
    out.upper = share_number(cursor.expect(","));
    out.upper_last_value = share_number(cursor.expect(","));
    out.requested_load = load_or_none(cursor.expect(","));
    cursor.expect("]");
    if (out.requested_load < 0) cursor.refuse();
    return out;
}

memory read_members(text_cursor& cursor, const settings& settings) {
    const auto hours_slots = static_cast<std::size_t>(3'600'000 / settings.slot_ms);
    const auto rows = static_cast<std::size_t>(slots_ahead(settings));
    memory out;
    read_open(cursor, out);
    read_profile(cursor, ",\"day\":", out.day.means, out.day.visits, out.day.open);
    read_profile(cursor, ",\"week\":", out.week.means, out.week.visits, out.week.open);
    read_profile(cursor, ",\"hour\":", std::span(out.hour.means).first(hours_slots),
                 std::span(out.hour.visits).first(hours_slots), out.hour.open);
    out.levels.fast = load_or_none(cursor.expect(",\"levels\":["));
    out.levels.slow = load_or_none(cursor.expect(","));
    if (is_none(out.levels.fast) != is_none(out.levels.slow)) cursor.refuse();
    read_learned(cursor.expect("]"), out.weights);
    read_score(cursor, out.score);
    out.account.extra = share_number(cursor.expect(",\"account\":["));
    out.account.shadow = share_number(cursor.expect(","));
    out.was_spent = cursor.expect(",").boolean();
    read_all(cursor.expect("],\"rows\":"), std::span(out.rows).first(rows), &read_row);
    out.floor_load = largest_requested_load(out);
    return out;
}

}  // namespace

memory read_text(text_cursor& cursor, const settings& settings) {
    gputide::forecast::settings said = settings;
    said.slot_ms = cursor.expect("\"slot_ms\":").number<std::int64_t>();
    said.lead_ms = cursor.expect(",\"lead_ms\":").number<std::int64_t>();
    if (!cursor.ok() || !is_slot(static_cast<double>(said.slot_ms)) ||
        !lead_bounds_ms.hold(static_cast<double>(said.lead_ms))) {
        cursor.refuse();
        return {};
    }
    memory out = read_members(cursor, said);
    if (!cursor.ok()) return {};
    change(out, said, settings);
    return out;
}

result<memory> load(std::string_view text, const settings& settings) {
    if (text.size() > most_text_bytes) {
        return refused(format_text("{} bytes, more than the {} that one may have", text.size(), most_text_bytes));
    }
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    text_cursor cursor(text);
    const auto version = cursor.expect("{\"gputide_forecast\":").number<std::int32_t>();
    if (!cursor.ok() || version < 1) return refused("not a saved forecast");
    if (version > text_version) {
        return refused(
            format_text("version {} is newer than {}, the newest this library reads", version, text_version));
    }
    const std::optional<std::string_view> body = unsealed(text);
    if (!body) return refused("the checksum does not match, the text is damaged");
    cursor.end_before(text.size() - body->size());
    memory out = read_text(cursor.expect(","), settings);
    if (!cursor.at_end()) return refused("the text is damaged");
    return out;
}

}  // namespace gputide::forecast
