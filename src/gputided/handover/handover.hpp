// gputided adopt, gputided release: one ScaledObject of a cluster, handed over from a living KEDA to gputide, and back.
#pragma once

#include "common/shared_options.hpp"
#include "common/subcommand.hpp"

#include <cstdint>
#include <string>

namespace gputided {

struct handover_options {
    shared_options shared;
    std::string object;  // NAMESPACE/NAME
    std::string owner = "gputide";
    std::int32_t lease_s = 15;
    std::int32_t timeout_ms = 60'000;
    bool dry_run = false;
};

void add_adopt(subcommands& commands);
void add_release(subcommands& commands);

}  // namespace gputided
