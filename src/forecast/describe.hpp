// A forecast for people and programs, as the members of a JSON object that is open: docs/json.md lists them.
#pragma once

#include "base/json_writer.hpp"
#include "forecast/forecast.hpp"

#include <span>

namespace gputide::forecast {

// What was said at the end of the last slot, and how good it has been; a member that there is not is left out.
void write_report(json_writer& out, const report& report, const settings& settings);

// "name": {"day":...,"week":...,"hour":...,"trend":...,"noise":...}
void write_parts(json_writer& out, std::string_view name, const parts& values);

// "ahead": [{"at":...,"forecast":...,"upper":...,"ask":...}, ...], what is asked for only where something is.
void write_ahead(json_writer& out, std::span<const said> ahead);

// "settings": {...}, as read_settings() takes them.
void write_settings(json_writer& out, const settings& settings);

}  // namespace gputide::forecast
