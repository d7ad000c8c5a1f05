// A state file belongs to one process.
#pragma once

#include <string>

namespace gputided {

// Holds PATH.lock, so that no second process keeps its state in the same file.  Gone with the process, however it ends.
class file_lock {
  public:
    // "": nothing to hold.  Throws usage_error where another process has it, or where it cannot be written.
    explicit file_lock(const std::string& path);
    ~file_lock();
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;

  private:
    int descriptor_ = -1;
};

}  // namespace gputided
