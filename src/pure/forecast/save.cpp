// Serializes a forecast; text.hpp has the format.
#include "base/checksum.hpp"
#include "forecast/text.hpp"

#include <span>

namespace gputide::forecast {

namespace {

void write_numbers(json_writer& out, std::span<const double> numbers) {
    out.begin_array();
    for (const double number : numbers) out.number(number);  // a missing value becomes null
    out.end_array();
}

void write_profile(json_writer& out, std::string_view name, std::span<const double> means,
                   std::span<const std::uint8_t> visits, const open_bucket& open) {
    out.key(name).begin_array();
    write_numbers(out, means);
    out.begin_array();
    for (const std::uint8_t visit : visits) out.integer(visit);
    out.end_array();
    out.begin_array().integer(open.number).number(open.sum).integer(open.count).end_array().end_array();
}

void write_learned(json_writer& out, const weights& learned) {
    out.key("learned").begin_array();
    write_numbers(out, learned.products);
    write_numbers(out, learned.targets);
    out.number(learned.loads).number(learned.usual_error);
    write_numbers(out, learned.values);
    out.end_array();
}

void write_score(json_writer& out, const score& score) {
    out.key("score").begin_array().number(score.loss).number(score.loss_last_value).number(score.error);
    out.number(score.error_last_value).number(score.held).number(score.count);
    out.number(score.edge.width).number(score.edge.scale);
    out.number(score.edge_last_value.width).number(score.edge_last_value.scale);
    out.integer(score.scored).boolean(score.in_use).end_array();
}

void write_row(json_writer& out, const row& row) {
    if (row.is_empty()) {
        out.null();
        return;
    }
    out.begin_array();
    for (const double factor : row.factors) out.number(factor);
    out.number(row.value)
        .number(row.forecast)
        .number(row.upper)
        .number(row.upper_last_value)
        .number(row.requested_load);
    out.end_array();
}

}  // namespace

void write(json_writer& out, const memory& memory, const settings& settings) {
    const auto hours_slots = static_cast<std::size_t>(3'600'000 / settings.slot_ms);
    out.member("slot_ms", settings.slot_ms).member("lead_ms", settings.lead_ms).key("open");
    if (memory.open.begun) {
        out.begin_array().integer(memory.open.number).number(memory.open.sum);
        out.integer(memory.open.count).integer(memory.open.late).end_array();
    } else {
        out.null();
    }
    out.key("booked").begin_array().number(memory.booked.extra).number(memory.booked.shadow);
    out.integer(memory.booked.passes).end_array().key("ended");
    if (memory.begun) {
        out.integer(memory.ended);
    } else {
        out.null();
    }
    out.member("peak", memory.peak);
    write_profile(out, "day", memory.day.means, memory.day.visits, memory.day.open);
    write_profile(out, "week", memory.week.means, memory.week.visits, memory.week.open);
    write_profile(out, "hour", std::span(memory.hour.means).first(hours_slots),
                  std::span(memory.hour.visits).first(hours_slots), memory.hour.open);
    out.key("levels").begin_array().number(memory.levels.fast).number(memory.levels.slow).end_array();
    write_learned(out, memory.weights);
    write_score(out, memory.score);
    out.key("account").begin_array().number(memory.account.extra).number(memory.account.shadow);
    out.boolean(memory.was_spent).end_array().key("rows").begin_array();
    const auto rows = static_cast<std::size_t>(slots_ahead(settings));
    for (const row& row : std::span(memory.rows).first(rows)) write_row(out, row);
    out.end_array();
}

std::string save(const memory& memory, const settings& settings) {
    json_writer out;
    out.begin_object().member("gputide_forecast", text_version);
    write(out, memory, settings);
    return sealed(out.take());
}

}  // namespace gputide::forecast
