// A decision's JSON report as lines for a person, conditions first as `kubectl describe hpa` shows them, then the trace.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace gputide::pipeline {

// status::invalid for a text that is no report of decide::decision_json().
result<std::string> render_report(std::string_view report);

}  // namespace gputide::pipeline
