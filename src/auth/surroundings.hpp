// What a credential may see of the machine: environment and files.  The real ones in process_surroundings(), scripted ones
// in tests.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace gputide::auth {

class surroundings {
  public:
    surroundings() = default;
    surroundings(const surroundings&) = delete;
    surroundings& operator=(const surroundings&) = delete;
    virtual ~surroundings() = default;

    virtual std::optional<std::string> environment(const std::string& name) const = 0;
    // Opens, reads, closes.  At most `most` + 1 bytes are read; longer is status::limit.  Missing, a directory, unreadable:
    // status::invalid, retryable, with the path and the system's reason.
    virtual result<secret_text> read_file(const std::string& path, std::size_t most) const = 0;
    // The same for a path that a peer named: a symbolic link in its last place is refused.  Only a host that can tell
    // links offers it.
    virtual result<secret_text> read_unlinked_file(const std::string& path, std::size_t most) const;
};

// The process's own environment and files.
std::shared_ptr<const surroundings> process_surroundings();

}  // namespace gputide::auth
