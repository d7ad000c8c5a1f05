// Values per process, and their state after fork.  A forked child has one thread: a lock that another thread held, or a value
// that another thread was creating, stays in that state in the child forever.
#pragma once

#include "base/result.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#ifndef GPUTIDE_PURE_ONLY
#include <csignal>
#endif

namespace gputide {

// Returns a number of the running process that differs in each forked child; costs a memory load, no system call.
std::uint64_t current_process() noexcept;

// Prevents fork() in this process while held, for one-time initialization behind locks of a dependency.  One thread at a
// time; not recursive.
class no_fork {
  public:
    no_fork() noexcept;
    ~no_fork();
    no_fork(const no_fork&) = delete;
    no_fork& operator=(const no_fork&) = delete;
};

#ifndef GPUTIDE_PURE_ONLY
// Blocks all signals in this thread.  A thread started meanwhile inherits that, so signal handlers run only on the host's
// threads.
class all_signals_blocked {
  public:
    all_signals_blocked() noexcept;
    ~all_signals_blocked();
    all_signals_blocked(const all_signals_blocked&) = delete;
    all_signals_blocked& operator=(const all_signals_blocked&) = delete;

  private:
    sigset_t before_{};
};
#endif

// One T per process, created on first use and destroyed with the last user.  A forked child creates its own T and never reads
// its parent's, which may be locked forever.  For static variables: the slots are not freed.
template <class T>
class process_wide {
  public:
    // make() returns a result of the same type; only one thread runs it at a time.
    template <class Make>
    result<std::shared_ptr<T>> get(Make make) {
        slot& own = own_slot();
        const std::lock_guard hold(own.lock);
        if (std::shared_ptr<T> live = own.current.lock()) return live;
        result<std::shared_ptr<T>> made = make();
        if (made) own.current = *made;
        return made;
    }

  private:
    struct slot {
        std::mutex lock;
        std::weak_ptr<T> current;
        const std::uint64_t owner = current_process();
        slot* parents = nullptr;  // slot of the parent process
    };

    slot& own_slot() {
        slot* known = slot_.load(std::memory_order_acquire);
        if (known != nullptr && known->owner == current_process()) return *known;
        auto fresh = std::make_unique<slot>();
        fresh->parents = known;
        if (slot_.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
        return *known;  // another thread created the value first
    }

    std::atomic<slot*> slot_{nullptr};
};

}  // namespace gputide
