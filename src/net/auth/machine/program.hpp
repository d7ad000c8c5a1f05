// Programs that print a token: started without a shell, polled by the loop's timers, killed at their deadline.
// A host program lists what may be run (host_permissions::allowed_programs); a manifest never does.
#pragma once

#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

// The implementation of surroundings::start_program(): posix_spawn, no shell, no thread, no signal handler.

// The child gets the current environment with `variables`, /dev/null as its stdin, none of the host's descriptors, and
// its own process group.  The whole group is killed, at the latest when the child has printed more than a token's size.
result<std::unique_ptr<child_program>> spawn_program(const std::vector<std::string>& arguments,
                                                     const std::vector<secret_text>& variables = {});

// Returns class config with the option's name if the host does not allow the program.
//   allowed   host_permissions::allowed_programs
//   option    for the message
result<void> check_program(const std::string& program, const std::vector<std::string>& allowed,
                           std::string_view option = "allowed_programs, gputided --allow-program");

// Returns the output of a run with exit status 0.  Other results: class unavailable if there is no such program or the exit
// status is 127, as Azure's SDKs take it (azure-sdk-for-python azure/identity/_credentials/azure_cli.py); transient if it was
// killed at limit_ms or the deadline; permanent with the start of its stderr for another exit status.
using program_done = std::function<void(result<secret_text>)>;

struct program_call {
    std::vector<std::string> arguments;  // [0] is the program, by its path or its name in PATH
    std::int64_t limit_ms = 0;
    std::string_view signed_out_mark = {};    // its presence in stderr makes the failure one of class signed_out
    std::vector<secret_text> variables = {};  // "NAME=value", beside the environment
};

// `done` runs on the loop, never inside this call.
std::shared_ptr<http::exchange> run_program(http::loop& loop, const std::shared_ptr<const surroundings>& host,
                                            const program_call& call, std::int64_t deadline_ms, program_done done);

}  // namespace gputide::auth
