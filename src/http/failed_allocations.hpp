// Counts allocations of this process that found no memory and were survived: they are tried again, so that nothing else shows them.
#pragma once

#include <cstdint>

namespace gputide::http {

// Any thread.
void note_failed_allocation() noexcept;
std::uint64_t failed_allocations() noexcept;

}  // namespace gputide::http
