// Files as a daemon wants them: read whole, replaced whole.
#pragma once

#include <cstddef>
#include <string>

namespace gputided {

inline constexpr std::size_t most_manifest_bytes = std::size_t{16} << 20;
inline constexpr std::size_t most_series_bytes = std::size_t{256} << 20;
inline constexpr std::size_t most_state_bytes = std::size_t{1} << 30;  // about two million scalers

// The whole file ("-": standard input), at most so many bytes.  Throws usage_error with the path and the system's reason.
std::string read_text(const std::string& path, std::size_t most_bytes = most_manifest_bytes);

// Whether there is one; throws usage_error where that cannot be told.
bool exists(const std::string& path);

// Write beside (PATH.new, always a file of its own), flush to disk, rename over: a reader, or a crash, sees the old content or
// the new.  Mode 0600, or for everybody what the umask leaves.  Throws usage_error.
enum class readers { owner, everybody };
void replace_text(const std::string& path, const std::string& text, readers who = readers::owner);

// Before long work: the file could be replaced; throws usage_error that names the flag.
void check_writable(const char* flag, const std::string& path);

// Adds at the end and flushes to disk; makes the file where there is none.  Throws usage_error.
void append_text(const std::string& path, const std::string& text);

// "a/b/c" → "a/b", "c" → ".", "/c" → "/".
std::string folder_of(const std::string& path);

}  // namespace gputided
