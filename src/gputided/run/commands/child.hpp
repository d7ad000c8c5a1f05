// Runs the user's commands (--exec, --observe) through sh -c: bounded in time and output, in a process group of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gputided {

struct child_result {
    bool ok = false;     // exit status 0 within the time
    std::string output;  // its stdout, at most 64 KiB
    std::string reason;  // where not ok: "exit status 3", "killed after 30000 ms", ...
};

struct child_limits {
    std::int32_t timeout_ms = 30'000;
    int stop_fd = -1;  // readable: the child gets SIGTERM, and SIGKILL 300 ms later; -1: never
};

// environment is added to the present one; input is written to its stdin.  Its stderr is ours.
child_result run_child(const std::string& shell_line, const std::map<std::string, std::string>& environment,
                       const std::string& input, const child_limits& limits);

}  // namespace gputided
