// Writes a forecast as members of an open JSON object; docs/json.md lists them.
#pragma once

#include "base/json_writer.hpp"
#include "forecast/forecast.hpp"

#include <span>

namespace gputide::forecast {

// Writes the forecast at the end of the last slot, and its quality; missing values are left out.
void write_report(json_writer& out, const report& report, const settings& settings);

// Writes "name": {"day":...,"week":...,"hour":...,"trend":...,"noise":...}.
void write_parts(json_writer& out, std::string_view name, const parts& values);

// Writes "ahead": [{"at":...,"forecast":...,"upper":...,"ask":...}, ...]; "ask" is the load to prepare for, if any.
void write_ahead(json_writer& out, std::span<const slot_forecast> ahead);

// Writes "settings": {...}, in the format of read_settings().
void write_settings(json_writer& out, const settings& settings);

}  // namespace gputide::forecast
