// A credential's view of the machine: environment, files, programs.  The real ones in process_surroundings(), scripted
// ones in tests.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gputide::auth {

// The result of a program.
struct program_outcome {
    bool ok = false;        // exit status 0
    secret_text output;     // its stdout
    std::string complaint;  // the start of its stderr; not redacted
    std::string how;        // "exit status 3", "signal 9"
    bool missing = false;   // the program, or a program that it needs, is not installed
};

// A running program.  Destroying it kills the program.
class child_program {
  public:
    child_program() = default;
    child_program(const child_program&) = delete;
    child_program& operator=(const child_program&) = delete;
    virtual ~child_program() = default;

    virtual std::optional<program_outcome>
    poll() = 0;  // nothing: still running; never blocks, not called after the end
};

class surroundings {
  public:
    surroundings() = default;
    surroundings(const surroundings&) = delete;
    surroundings& operator=(const surroundings&) = delete;
    virtual ~surroundings() = default;

    virtual std::optional<std::string> environment(const std::string& name) const = 0;
    // Opens, reads, closes.  At most `most` + 1 bytes are read; longer is status::limit.  Missing, a directory,
    // unreadable: status::invalid, retryable, with the path and the system's reason.
    virtual result<secret_text> read_file(const std::string& path, std::size_t most) const = 0;
    // Reads a path that a peer named: a symbolic link as its last part is rejected.  Only a host that can recognize
    // links offers this.
    virtual result<secret_text> read_unlinked_file(const std::string& path, std::size_t /*most*/) const {
        return fail(error_class::config, "{}: this host program does not let files be read that a peer names", path);
    }
    // Reads a path that must stay in `folder`: neither ".." nor a symbolic link may lead out of it.
    virtual result<secret_text> read_file_inside(const std::string& /*folder*/, const std::string& path,
                                                 std::size_t /*most*/) const {
        return fail(error_class::config, "{}: this host program cannot tell whether the file is inside the folder",
                    path);
    }
    // Starts arguments[0], a path or a name in PATH, without a shell.  Class unavailable if there is no such program.
    // `variables`: "NAME=value" each, which override the host's environment.
    virtual result<std::unique_ptr<child_program>> start_program(const std::vector<std::string>& arguments,
                                                                 const std::vector<secret_text>& /*variables*/) const {
        return fail(error_class::unavailable, "{}: this host program does not run programs", arguments.front());
    }
};

// Returns the process's own environment and files.
std::shared_ptr<const surroundings> process_surroundings();

}  // namespace gputide::auth
