// Writes a policy as JSON, and a decision's report as lines of text.
#pragma once

#include "base/result.hpp"
#include "decide/policy.hpp"

#include <string>
#include <string_view>

namespace gputide::pipeline {

// Returns status::invalid for a text that is not a report of decide::decision_json().
result<std::string> render_report(std::string_view report);

// JSON for hosts that display a policy.

// Returns the policy in a canonical form with all defaults filled in.
std::string policy_json(const decide::policy& policy);

}  // namespace gputide::pipeline
