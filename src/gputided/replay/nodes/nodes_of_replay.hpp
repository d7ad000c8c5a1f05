// A replay's report → what its replicas come to on nodes, and lines for a terminal.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace gputided {

// Adds nodes to a replay that is over: the simulation goes through the sizes of its report.  cluster: as node_simulation takes
// it.  Throws usage_error where that is none, or where the report left changes out.
nlohmann::json nodes_of_replay(const nlohmann::json& report, nlohmann::json cluster);

std::string nodes_of_replay_text(const nlohmann::json& nodes);

}  // namespace gputided
