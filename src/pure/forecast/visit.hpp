// Names the members of a forecast's memory in the order of its saved text (text.hpp), for the archives of base/archive.hpp.
// Rejects impossible numbers, which text_output never writes.
#pragma once

#include "base/archive.hpp"
#include "forecast/memory.hpp"

#include <span>

namespace gputide::forecast {

namespace saved {

// Limits for sums of loads over a day, and of their squares; larger saved numbers are invalid, because they could become
// infinite.
inline constexpr double max_load = 1e110;
inline constexpr double max_square = 1e210;
inline constexpr std::int64_t max_count = std::int64_t{1} << 53;

template <class Archive, class Number>
void load(Archive& at, member_name name, Number& value) {
    at.number(name, value, -max_load, max_load);
}
template <class Archive, class Number>
void square(Archive& at, member_name name, Number& value) {
    at.number(name, value, -max_square, max_square);
}
template <class Archive, class Number>
void share(Archive& at, member_name name, Number& value) {
    at.number(name, value, 0, max_load);
}
template <class Archive, class Number>
void count(Archive& at, member_name name, Number& value) {
    at.integer(name, value, 0, max_count);
}

// Visits [a,b,...] with as many elements as `values`.
template <class Archive, class Values, class Visit>
void each(Archive& at, member_name name, Values&& values, Visit visit_value) {
    at.record(name, [&] {
        for (auto& value : values) visit_value(value);
    });
}

}  // namespace saved

template <class Archive, class Means, class Visits>
void visit_profile(Archive& at, member_name name, Means means, Visits visits, visited<Archive, open_bucket>& open) {
    at.record(name, [&] {
        saved::each(at, "means", means, [&](auto& mean) { saved::load(at, unnamed, mean); });
        saved::each(at, "visits", visits, [&](auto& count) { at.integer(unnamed, count); });
        at.record("open", [&] {
            at.time("number", open.number);
            saved::load(at, "sum", open.sum);
            saved::count(at, "count", open.count);
        });
    });
}

template <class Archive>
void visit(Archive& at, visited<Archive, open_slot>& open) {
    at.optional("open", open.begun, [&] {
        at.record(unnamed, [&] {
            at.time("number", open.number);
            saved::share(at, "sum", open.sum);
            saved::count(at, "count", open.count);
            saved::count(at, "late", open.late);
        });
    });
}

template <class Archive>
void visit(Archive& at, visited<Archive, booking>& booked) {
    at.record("booked", [&] {
        saved::load(at, "extra", booked.extra);
        saved::share(at, "shadow", booked.shadow);
        saved::count(at, "passes", booked.passes);
    });
}

template <class Archive>
void visit(Archive& at, visited<Archive, levels>& levels) {
    at.record("levels", [&] {
        at.number_or_null("fast", levels.fast, -saved::max_load, saved::max_load);
        at.number_or_null("slow", levels.slow, -saved::max_load, saved::max_load);
    });
    at.check(is_none(levels.fast) == is_none(levels.slow));
}

template <class Archive>
void visit(Archive& at, visited<Archive, weights>& learned) {
    at.record("learned", [&] {
        saved::each(at, "products", learned.products, [&](auto& sum) { saved::square(at, unnamed, sum); });
        saved::each(at, "targets", learned.targets, [&](auto& sum) { saved::square(at, unnamed, sum); });
        saved::square(at, "loads", learned.loads);
        saved::share(at, "usual_error", learned.usual_error);
        saved::each(at, "values", learned.values, [&](auto& weight) { at.number(unnamed, weight, -0.5, 1.5); });
    });
}

template <class Archive>
void visit(Archive& at, visited<Archive, score>& score) {
    at.record("score", [&] {
        saved::share(at, "loss", score.loss);
        saved::share(at, "loss_last_value", score.loss_last_value);
        saved::share(at, "error", score.error);
        saved::share(at, "error_last_value", score.error_last_value);
        saved::share(at, "held", score.held);
        saved::share(at, "count", score.count);
        for (auto* band : {&score.edge, &score.edge_last_value}) {
            at.number("width", band->width, 0, 10);
            saved::share(at, "scale", band->scale);
        }
        saved::count(at, "scored", score.scored);
        at.boolean("in_use", score.in_use);
    });
}

template <class Archive>
void visit(Archive& at, visited<Archive, row>& row) {
    bool present = !row.is_empty();
    at.optional(unnamed, present, [&] {
        at.record(unnamed, [&] {
            for (auto& factor : row.factors) saved::load(at, unnamed, factor);
            saved::share(at, "value", row.value);
            saved::share(at, "forecast", row.forecast);
            saved::share(at, "upper", row.upper);
            saved::share(at, "upper_last_value", row.upper_last_value);
            at.number_or_null("requested_load", row.requested_load, 0, saved::max_load);
        });
    });
}

// `settings` has slot and lead; a loading archive reads these two and keeps the other settings.
template <class Archive>
void visit(Archive& at, visited<Archive, memory>& memory, visited<Archive, settings>& settings) {
    at.integer("slot_ms", settings.slot_ms);
    at.integer("lead_ms", settings.lead_ms);
    const auto lead_ms = static_cast<double>(settings.lead_ms);
    at.check(is_slot(settings.slot_ms) && lead_ms >= settings.min_lead_ms && lead_ms <= settings.max_lead_ms);
    if (!at.ok()) return;
    visit(at, memory.open);
    visit(at, memory.booked);
    at.optional("ended", memory.begun, [&] { at.time(unnamed, memory.ended); });
    saved::share(at, "peak", memory.peak);
    const auto minutes = static_cast<std::size_t>(3'600'000 / settings.slot_ms);
    visit_profile(at, "day", std::span(memory.day.means), std::span(memory.day.visits), memory.day.open);
    visit_profile(at, "week", std::span(memory.week.means), std::span(memory.week.visits), memory.week.open);
    visit_profile(at, "hour", std::span(memory.hour.means).first(minutes), std::span(memory.hour.visits).first(minutes),
                  memory.hour.open);
    visit(at, memory.levels);
    visit(at, memory.weights);
    visit(at, memory.score);
    at.record("account", [&] {
        saved::share(at, "extra", memory.account.extra);
        saved::share(at, "shadow", memory.account.shadow);
        at.boolean("was_spent", memory.was_spent);
    });
    const auto ahead = static_cast<std::size_t>(slots_ahead(settings));
    saved::each(at, "rows", std::span(memory.rows).first(ahead), [&](auto& row) { visit(at, row); });
    if constexpr (Archive::loads) memory.floor_load = largest_requested_load(memory);
}

}  // namespace gputide::forecast
