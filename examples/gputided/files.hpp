// Files as a daemon wants them: read whole, replaced whole.
#pragma once

#include <cstdint>
#include <string>

namespace gputided {

// The whole file ("-": standard input), at most 16 MiB.  Throws usage_error with the path and the system's reason.
std::string read_text(const std::string& path);

// Whether there is one; throws usage_error where that cannot be told.
bool exists(const std::string& path);

// Write beside, flush to disk, rename over: a reader, or a crash, sees the old content or the new.  Throws usage_error.
void replace_text(const std::string& path, const std::string& text);

std::int64_t unix_now_ms();

}  // namespace gputided
