// gputided token: acquires a token as a trigger would, and tells its life and its claims.  The token itself is a secret and
// is printed on --show-token alone.
#pragma once

#include "common/shared_options.hpp"
#include "common/subcommand.hpp"

#include <cstdint>
#include <string>

namespace gputided {

struct token_options {
    shared_options shared;
    std::string scope = "https://prometheus.monitor.azure.com/.default";
    std::string credential = "provider: azure-default";  // "@FILE": from there
    bool show_token = false;
    std::int32_t timeout_ms = 30'000;
};

void add_token(subcommands& commands);

}  // namespace gputided
