// A scaler's forecast for people and programs.
#pragma once

#include "base/json_writer.hpp"

namespace gputide::decide {

struct load_forecast;

// Into a JSON object that is open: what it says and how good it has been, what became of its history, and the last pass' need and
// shadow.  A member that there is not is left out.
void write_forecast(json_writer& out, const load_forecast& one);

}  // namespace gputide::decide
