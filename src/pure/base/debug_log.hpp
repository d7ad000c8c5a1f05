// Debug lines of modules that may not include the log (runtime/log.hpp).  The log receives them while a reader or a sink
// wants them.
#pragma once

#include <atomic>
#include <new>
#include <string>
#include <string_view>

namespace gputide {

class debug_log {
  public:
    using taker = void (*)(std::string_view line);

    // Calls make() for the line if debug lines are wanted; otherwise the cost is one load of an atomic.  A line is
    // dropped if there is no memory for it.  The line must not hold a secret.  Any thread, without a lock.
    template <class Make>
    static void write(Make make) noexcept {
        const taker take = taker_.load(std::memory_order_relaxed);
        if (take == nullptr) return;
        try {
            const std::string line = make();
            take(line);
        } catch (const std::bad_alloc&) {
        }
    }
    static void set_taker(taker take) noexcept { taker_ = take; }  // null: off

  private:
    static inline constinit std::atomic<taker> taker_{nullptr};
};

}  // namespace gputide
