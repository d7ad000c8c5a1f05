// A policy as JSON, for hosts that show it.
#pragma once

#include "decide/policy.hpp"

#include <string>

namespace gputide::pipeline {

// The policy in one canonical form, each default filled in.
std::string policy_json(const decide::policy& policy);

}  // namespace gputide::pipeline
