// What belongs to one process, and what of it a forked child finds.
// A child has one thread: a lock that another one held, and a value that another one was making, stay so in it for ever.
#pragma once

#include "base/result.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>

namespace gputide {

// The number of the process that runs, another one in each forked child; a load from memory, no system call.
std::uint64_t current_process() noexcept;

// While one is held no thread of the process forks: for what a library below us makes once, behind locks of its own.
// Held by one thread at a time; not to be taken twice.
class no_fork {
  public:
    no_fork() noexcept;
    ~no_fork();
    no_fork(const no_fork&) = delete;
    no_fork& operator=(const no_fork&) = delete;
};

// Blocks every signal in this thread, so that a thread started meanwhile inherits it: handlers run on the host's own threads.
class all_signals_blocked {
  public:
    all_signals_blocked() noexcept;
    ~all_signals_blocked();
    all_signals_blocked(const all_signals_blocked&) = delete;
    all_signals_blocked& operator=(const all_signals_blocked&) = delete;

  private:
    sigset_t before_{};
};

// One T a process: made for the first who asks, gone with the last who holds it.  A child makes one of its own, and never
// looks into its parent's, whose lock may have been held.  A variable of static storage: what it holds is not freed.
template <class T>
class process_wide {
  public:
    // make() gives a result of the same type; it runs in one thread at a time.
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
        slot* parents = nullptr;  // of the process that forked this one
    };

    slot& own_slot() {
        slot* known = slot_.load(std::memory_order_acquire);
        if (known != nullptr && known->owner == current_process()) return *known;
        auto fresh = std::make_unique<slot>();
        fresh->parents = known;
        if (slot_.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
        return *known;  // another thread was faster
    }

    std::atomic<slot*> slot_{nullptr};
};

}  // namespace gputide
