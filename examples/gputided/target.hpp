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

struct target {
    // Nothing: it could not be read, and the reason is logged.  Empty function: what was last written is all that is known.
    std::function<std::optional<target_size>(const std::string& scaler)> read;
    // report: the decision as JSON.  False: it was not written, and the reason is logged.  Empty function: a dry run.
    std::function<bool(const std::string& scaler, const gputide::decision& next, const std::string& report)> write;
};

// --observe and --exec.  stop_fd: readable when gputided is to end, which ends a command under way.
target target_by_commands(const run_options& from, int stop_fd);

}  // namespace gputided
