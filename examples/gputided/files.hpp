// Files as a daemon wants them: read whole, replaced whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gputided {

inline constexpr std::size_t most_manifest_bytes = std::size_t{16} << 20;
inline constexpr std::size_t most_series_bytes = std::size_t{256} << 20;

// The whole file ("-": standard input), at most so many bytes.  Throws usage_error with the path and the system's reason.
std::string read_text(const std::string& path, std::size_t most_bytes = most_manifest_bytes);

// Whether there is one; throws usage_error where that cannot be told.
bool exists(const std::string& path);

// Write beside, flush to disk, rename over: a reader, or a crash, sees the old content or the new.  Throws usage_error.
void replace_text(const std::string& path, const std::string& text);

// Holds PATH.lock, so that no second process keeps its state in the same file.  Gone with the process, however it ends.
// Where the lock file cannot be written nothing is held: the state cannot be written there either, and that is told then.
class file_lock {
  public:
    explicit file_lock(
        const std::string& path);  // "": nothing to hold.  Throws usage_error where another process has it.
    ~file_lock();
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;

  private:
    int held_ = -1;
};

// Adds at the end and flushes to disk; makes the file where there is none.  Throws usage_error.
void append_text(const std::string& path, const std::string& text);

std::int64_t unix_now_ms();
std::int64_t steady_now_ms();

}  // namespace gputided
