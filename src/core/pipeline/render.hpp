// A policy as JSON, and a decision's report as lines for a person.
#pragma once

#include "base/result.hpp"
#include "decide/policy.hpp"

#include <string>
#include <string_view>

namespace gputide::pipeline {

// Returns status::invalid for a text that is not a report of decide::decision_json().
result<std::string> render_report(std::string_view report);

// A policy as JSON, for hosts that show it.

// The policy in one canonical form, each default filled in.
std::string policy_json(const decide::policy& policy);

}  // namespace gputide::pipeline
