// Counts allocations in this process that failed and were survived: they are retried, so no other counter shows them.
#pragma once

#include <cstdint>

namespace gputide::http {

// Any thread.
void note_failed_allocation() noexcept;
std::uint64_t failed_allocations() noexcept;

}  // namespace gputide::http
