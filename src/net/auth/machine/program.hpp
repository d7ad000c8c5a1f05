// Programs that print a token: started without a shell, polled by the loop's timers, killed at their deadline.  Only the host
// program decides which programs may run (host_permissions::allowed_programs).
#pragma once

#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
#include "base/callback.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

// Implements surroundings::start_program(): posix_spawn, no shell, no thread, no signal handler.

// The child gets the current environment with `variables`, /dev/null as its stdin, none of the host's descriptors, and its own
// process group.  The whole group is killed at the end, also if the child prints more than a token can have.
result<std::unique_ptr<child_program>> spawn_program(const std::vector<std::string>& arguments,
                                                     const std::vector<secret_text>& variables = {});

// Checks that the host allows the program; the error is class config and names the option.
//   allowed   host_permissions::allowed_programs
// names the option in the message
result<void> check_program(const std::string& program, const std::vector<std::string>& allowed,
                           std::string_view option = "allowed_programs, gputided --allow-program");

// Receives the output of a run with exit status 0, or an error: class unavailable if the program does not exist or exits with
// 127, as in Azure's SDKs (azure-sdk-for-python azure/identity/_credentials/azure_cli.py); transient if it was killed at limit_ms
// or the deadline; permanent for another exit status, with the start of its stderr.
using program_done = callback<void(result<secret_text>)>;

struct program_call {
    std::vector<std::string> arguments;  // [0] is the program: a path or a name in PATH
    std::int64_t limit_ms = 0;
    std::string_view signed_out_mark = {};    // a text in stderr that means class signed_out
    std::vector<secret_text> variables = {};  // "NAME=value", in addition to the environment
};

// Runs a program.  `done` runs on the loop, never inside this call.
std::shared_ptr<http::exchange> run_program(http::loop& loop, const std::shared_ptr<const surroundings>& host,
                                            const program_call& call, std::int64_t deadline_ms, program_done done);

// Runs a program as the next step of `under_way`, and finishes it with what `read` makes of the output.
void run_for_token(const std::shared_ptr<acquisition>& under_way, const std::shared_ptr<const surroundings>& host,
                   const program_call& call,
                   callback<result<token>(result<secret_text> printed, const moment& now)> read);

}  // namespace gputide::auth
