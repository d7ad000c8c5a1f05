// Programs that print a token: started without a shell, looked at by the loop's timers, killed at their time.
// A host program names what may be run (host_permissions::allowed_programs); a manifest never.
#pragma once

#include "auth/credential.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

// Class config with the option's name where the host does not allow it.
//   allowed   host_permissions::allowed_programs
//   option    for the message
result<void> check_program(const std::string& program, const std::vector<std::string>& allowed,
                           std::string_view option = "allowed_programs, gputided --allow-program");

// The output of a run that ended with status 0.  Other ends: class unavailable where there is no such program or exit status
// 127 says so, as Azure's SDKs take it (azure-sdk-for-python azure/identity/_credentials/azure_cli.py), transient
// where it was killed at limit_ms or the deadline, permanent with the start of its stderr for another exit status.
using program_done = std::function<void(result<secret_text>)>;

struct program_call {
    std::vector<std::string> arguments;  // [0] is the program, by its path or its name in PATH
    std::int64_t limit_ms = 0;
    std::string_view signed_out_mark = {};    // a stderr that holds it makes the failure one of class signed_out
    std::vector<secret_text> variables = {};  // "NAME=value", beside the environment
};

// `done` runs on the loop, never inside this call.
std::shared_ptr<http::exchange> run_program(http::loop& loop, const std::shared_ptr<const surroundings>& host,
                                            const program_call& call, std::int64_t deadline_ms, program_done done);

}  // namespace gputide::auth
