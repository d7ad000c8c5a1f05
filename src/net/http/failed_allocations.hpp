// Counts failed allocations that were handled by a retry, which no other counter shows.
#pragma once

#include <cstdint>

namespace gputide::http {

// Thread-safe.
void note_failed_allocation() noexcept;
std::uint64_t failed_allocations() noexcept;

}  // namespace gputide::http
