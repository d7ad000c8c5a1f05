#include "run/files/file_lock.hpp"

#include "common/exit_status.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace gputided {

file_lock::file_lock(const std::string& path) {
    if (path.empty()) return;
    descriptor_ = ::open((path + ".lock").c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor_ < 0)
        throw usage_error("--state " + path + ": no state can be written there: " + std::strerror(errno));
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    ::close(descriptor_);
    throw usage_error(path + ": another gputided keeps its state there; give each its own --state file");
}

file_lock::~file_lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace gputided
