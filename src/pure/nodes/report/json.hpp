// Writes a plan as JSON (docs/json.md, nodes_plan).
#pragma once

#include "config/report.hpp"
#include "nodes/plan.hpp"

#include <cstdint>
#include <string>

namespace gputide::nodes {

std::string plan_json(const cluster& cluster, const plan& plan, const config::report& findings, std::int64_t now_ms);

}  // namespace gputide::nodes
