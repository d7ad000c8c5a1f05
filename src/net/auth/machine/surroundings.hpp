// A credential's access to the machine: environment, files, programs.  process_surroundings() is the real one; tests use scripted
// ones.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

// The result of a program.
struct program_outcome {
    bool ok = false;        // exit status 0
    secret_text output;     // its stdout
    std::string complaint;  // the start of its stderr; not redacted
    std::string how;        // "exit status 3", "signal 9"
    bool missing = false;   // the program, or another program that it needs, is not installed
};

// A running program.  Destroying it kills the program.
class child_program {
  public:
    child_program() = default;
    child_program(const child_program&) = delete;
    child_program& operator=(const child_program&) = delete;
    virtual ~child_program() = default;

    virtual std::optional<program_outcome>
    poll() = 0;  // nullopt: still running.  Never blocks; must not be called after the end
};

class surroundings {
  public:
    surroundings() = default;
    surroundings(const surroundings&) = delete;
    surroundings& operator=(const surroundings&) = delete;
    virtual ~surroundings() = default;

    virtual std::optional<std::string> environment(const std::string& name) const = 0;
    // Returns a variable of the environment, or "" if it is not set.
    std::string variable(const char* name) const;
    // Reads a file, at most `most` + 1 bytes; a longer file is status::limit.  A missing or unreadable file, or a directory, is
    // status::invalid, retryable, with the path and the system's reason.
    virtual result<secret_text> read_file(const std::string& path, std::size_t most) const = 0;
    // Reads a path that came from the network: rejects a symbolic link as its last part.  Only hosts that can detect links
    // implement this.
    virtual result<secret_text> read_unlinked_file(const std::string& path, std::size_t /*most*/) const {
        return fail(error_class::config, "{}: this host program does not read files that a server names", path);
    }
    // Reads a path that must be inside `folder`, after resolving ".." and symbolic links.
    virtual result<secret_text> read_file_inside(const std::string& /*folder*/, const std::string& path,
                                                 std::size_t /*most*/) const {
        return fail(error_class::config, "{}: this host program cannot tell whether the file is inside the folder",
                    path);
    }
    // Starts arguments[0], a path or a name in PATH, without a shell.  Class unavailable if the program does not exist.
    // `variables`: "NAME=value" each; they override the host's environment.
    virtual result<std::unique_ptr<child_program>> start_program(const std::vector<std::string>& arguments,
                                                                 const std::vector<secret_text>& /*variables*/) const {
        return fail(error_class::unavailable, "{}: this host program does not run programs", arguments.front());
    }
};

// Returns the error of a setting with a file that read_file() could not read: "the token file cannot be read: ...".  It is
// retryable like `why`.
error unread_file(std::string_view what, const error& why);

// Returns the process's own environment and files.
std::shared_ptr<const surroundings> process_surroundings();

}  // namespace gputide::auth
