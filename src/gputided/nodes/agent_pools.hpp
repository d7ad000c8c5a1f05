// A plan carried out on AKS: node pools that are to grow get a larger count, or a larger minimum where AKS' autoscaler scales
// them.  Without --write nothing is changed: what would be is told.
#pragma once

#include "common/shared_options.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace gputided {

struct agent_pool_options {
    std::string cluster;  // its resource id; "": the plan is only shown
    std::string credential = "provider: azure-default";
    std::string endpoint;  // of Azure Resource Manager; "": the public cloud's
    bool write = false;
    std::int32_t timeout_ms = 900'000;  // of one pool
};

void add_agent_pool_flags(CLI::App& app, agent_pool_options& options);

// One pool after the other, each told in the log.  Throws gputide::failure with the first that fails.
void write_agent_pools(const nlohmann::json& plan, const agent_pool_options& options, const shared_options& shared);

}  // namespace gputided
