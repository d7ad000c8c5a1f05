// gputided doctor: what is wrong with the triggers of the manifests, or with a cluster that is to be scaled, step by step, and
// what to do about it.
#pragma once

#include "common/cluster_options.hpp"
#include "common/shared_options.hpp"
#include "common/subcommand.hpp"

#include <cstdint>

namespace gputided {

struct doctor_options {
    shared_options shared;
    std::int32_t current = -1;  // -1: the manifest's minimum
    std::int32_t ready = -1;    // -1: as current
    std::int32_t timeout_ms = 20'000;
    cluster_options cluster;
};

void add_doctor(subcommands& commands);

}  // namespace gputided
