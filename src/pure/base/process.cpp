#include "base/process.hpp"

#ifndef GPUTIDE_PURE_ONLY
#include <cstddef>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace gputide {
#ifdef GPUTIDE_PURE_ONLY

// The amalgamated sources (cmake/amalgamate.py) also run on systems without fork. None of their handles owns a thread or a
// connection.
std::uint64_t current_process() noexcept { return 1; }
no_fork::no_fork() noexcept = default;
no_fork::~no_fork() = default;

#else
namespace {

using marker = std::atomic<std::uint64_t>;
static_assert(marker::is_always_lock_free);

constexpr std::size_t page_bytes = 4096;  // minimum; the kernel rounds up

// Maps a page that the kernel clears in a forked child (Linux 4.14), however the child was created.  Returns nullptr if
// the system does not support that.
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

constinit std::mutex forks;
void hold_forks() noexcept { forks.lock(); }
void let_forks_go() noexcept { forks.unlock(); }

// Both are created when the library is loaded: the first call may come from two threads, or during a fork.
marker* const mark = make_mark();
const bool forks_wait = ::pthread_atfork(&hold_forks, &let_forks_go, &let_forks_go) == 0;

}  // namespace

std::uint64_t current_process() noexcept {
    if (mark == nullptr) return process_number();
    if (const std::uint64_t known = mark->load(std::memory_order_relaxed); known != 0) return known;
    const std::uint64_t number = process_number();
    mark->store(number, std::memory_order_relaxed);
    return number;
}

no_fork::no_fork() noexcept { forks.lock(); }
no_fork::~no_fork() { forks.unlock(); }

all_signals_blocked::all_signals_blocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
}

all_signals_blocked::~all_signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

#endif
}  // namespace gputide
