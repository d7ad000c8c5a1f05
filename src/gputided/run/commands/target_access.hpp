// What is scaled: how its size is read and how a replica count is written.  Here by the user's commands; another way to reach
// a target is another pair of functions.
#pragma once

#include "gputide/gputide.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gputided {

struct run_options;

struct target_size {
    std::int32_t spec = 0;
    std::int32_t status = -1;  // pods that exist; -1: as spec
    std::int32_t ready = -1;
};

// Who wants to know.
struct target_name {
    std::string scaler;  // "namespace/name"
    std::string target;  // "Deployment/llama": kind and name of what it scales; "": the manifest names none
};

struct target_access {
    // Nothing: it could not be read, and the reason is logged.  Empty function: what was last written is all that is known.
    std::function<std::optional<target_size>(const target_name& name)> read;
    // report: the decision as JSON.  False: it was not written, and the reason is logged.  Empty function: a dry run.
    std::function<bool(const target_name& name, const gputide::decision& decision, const std::string& report)> write;
};

// --observe and --exec.  stop_fd: readable when gputided is to end, which ends a command under way.
target_access access_by_commands(const run_options& options, int stop_fd);

}  // namespace gputided
