#include "capi/handle.hpp"

#include <atomic>
#include <cstddef>
#include <sys/mman.h>
#include <unistd.h>

namespace gputide::capi {
namespace {

using marker = std::atomic<std::uint64_t>;
static_assert(marker::is_always_lock_free);

constexpr std::size_t page_bytes = 4096;  // at least; the kernel rounds up

// A page that the kernel empties in a child of fork (Linux 4.14): the mark is gone there, whichever way the child was made.
// nullptr where the system cannot do that.
marker* make_mark() noexcept {
    void* page = ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return nullptr;
    if (::madvise(page, page_bytes, MADV_WIPEONFORK) != 0) {
        ::munmap(page, page_bytes);
        return nullptr;
    }
    return new (page) marker(0);
}

std::uint64_t process_number() noexcept { return static_cast<std::uint64_t>(::getpid()); }

}  // namespace

std::uint64_t current_process() noexcept {
    static marker* const mark = make_mark();
    if (mark == nullptr) return process_number();
    if (const std::uint64_t known = mark->load(std::memory_order_relaxed); known != 0) return known;
    const std::uint64_t number = process_number();
    mark->store(number, std::memory_order_relaxed);
    return number;
}

}  // namespace gputide::capi
