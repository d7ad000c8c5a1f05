// gputided eval: one decision per scaler of the manifests, and why.  Acts on nothing, writes nothing.
#pragma once

#include "common/shared_options.hpp"
#include "common/subcommand.hpp"

#include <cstdint>
#include <string>

namespace gputided {

struct eval_options {
    shared_options shared;
    std::int32_t current = 0;
    std::int32_t ready = -1;  // -1: as current
    std::string at;           // RFC 3339 or Unix milliseconds; "": now
    std::string state;        // read, not written
    std::int32_t timeout_ms = 10'000;
};

void add_eval(subcommands& commands);

}  // namespace gputided
