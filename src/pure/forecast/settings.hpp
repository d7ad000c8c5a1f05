// The settings of a forecast.
#pragma once

#include "base/result.hpp"
#include "manifest/scaling.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace gputide::text {
template <class Settings>
struct setting;
}

namespace gputide::forecast {

using mode = manifest::forecast_mode;  // observe: learns, scores and reports; raises nothing

struct settings : manifest::forecast_settings {
    settings() { mode = manifest::forecast_mode::act; }
    settings(const manifest::forecast_settings& written, std::int64_t slot)
        : forecast_settings(written), slot_ms(slot) {}

    std::int64_t slot_ms = 60'000;  // 60 s or 300 s; the time of a reading is rounded down to it
};

// Returns the number of slots to forecast ahead: h = 1 + ceil(lead / slot).  Examples: 300 s of 60 s → 6; 60 s of 300 s → 2.
std::int64_t slots_ahead(const settings& settings) noexcept;
inline constexpr std::int64_t max_slots_ahead = 61;  // 1 h of 60 s

constexpr bool is_slot(std::int64_t slot_ms) noexcept { return slot_ms == 60'000 || slot_ms == 300'000; }

// One row per setting, with its range and default: the members of a JSON text, and the table of docs/forecast.md.
using setting_row = text::setting<settings>;
std::span<const setting_row> setting_rows();

// Parses {"lead_ms":300000,"mode":"observe"}.  The place of an error is the name of the invalid or unknown member.
result<settings> read_settings(std::string_view json);

}  // namespace gputide::forecast
