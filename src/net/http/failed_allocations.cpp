#include "http/failed_allocations.hpp"

#include <atomic>

namespace gputide::http {
namespace {

std::atomic<std::uint64_t> count{0};

}  // namespace

void note_failed_allocation() noexcept { ++count; }

std::uint64_t failed_allocations() noexcept { return count; }

}  // namespace gputide::http
