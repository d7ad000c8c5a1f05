// The settings of a forecast and their ranges.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace gputide::text {
template <class Settings>
struct setting;
}

namespace gputide::forecast {

enum class mode : std::int32_t {
    observe = 1,  // learns, scores and reports; raises nothing
    act = 2,
};
std::string_view name(mode mode) noexcept;

struct settings {
    std::int64_t slot_ms = 60'000;  // 60 s or 300 s; the time of a reading is rounded down to it
    std::int64_t lead_ms = 300'000;
    double quantile = 0.9;             // share of slots in which the load should be at most the upper edge
    bool has_budget = true;            // false: the floor's cost is not limited
    double budget_percent = 5.0;       // extra replica-hours, in percent of the shadow's
    double max_raise_percent = 200.0;  // maximum of the floor above the reactive size
    std::int64_t warmup_ms = 86'400'000;
    gputide::forecast::mode mode = mode::act;
};

// Returns the number of slots to forecast ahead: h = 1 + ceil(lead / slot).  Examples: 300 s of 60 s → 6; 60 s of 300 s → 2.
std::int64_t slots_ahead(const settings& settings) noexcept;
inline constexpr std::int64_t max_slots_ahead = 61;  // 1 h of 60 s

struct bounds {
    double least;
    double most;

    constexpr bool hold(double value) const noexcept { return value >= least && value <= most; }
};
inline constexpr bounds lead_bounds_ms{60'000, 3'600'000};

constexpr bool is_slot(double slot_ms) noexcept { return slot_ms == 60'000 || slot_ms == 300'000; }

// One row per setting, with its range and default: the members of a JSON text, and the table of docs/forecast.md.
using setting_row = text::setting<settings>;
std::span<const setting_row> setting_rows();

// Parses {"lead_ms":300000,"mode":"observe"}.  The place of an error is the name of the invalid or unknown member.
result<settings> read_settings(std::string_view json);

}  // namespace gputide::forecast
