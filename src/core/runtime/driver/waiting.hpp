// Waiting in calls: time limits, the end of the last call inside a handle, and the right to drive.  Waiting in a host's loop: the
// descriptor for it.
#pragma once

#include "base/function_ref.hpp"
#include "base/result.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

namespace gputide::runtime {

inline constexpr std::int64_t forever_ms = -1;              // as a timeout
inline constexpr std::int64_t longest_wait_ms = 3'600'000;  // then the clock is read again

// Returns the end of a wait for a condition variable.  Forever is ten years, because waits overflow at the end of the clock's
// range.
inline std::chrono::steady_clock::time_point end_of(std::int64_t timeout_ms) {
    using std::chrono::steady_clock;
    const steady_clock::duration max_wait = std::chrono::hours(24 * 365 * 10);
    if (timeout_ms == forever_ms) return steady_clock::now() + max_wait;
    return steady_clock::now() + std::min<steady_clock::duration>(max_wait, std::chrono::milliseconds(timeout_ms));
}

// Returns the end of a wait on the client's steady clock.
inline std::int64_t end_ms_of(std::int64_t now_ms, std::int64_t timeout_ms) {
    return timeout_ms == forever_ms ? std::numeric_limits<std::int64_t>::max() : now_ms + timeout_ms;
}

// Returns the length of the next single wait.
inline std::int64_t left_ms(std::int64_t until_ms, std::int64_t now_ms) {
    return std::min(until_ms - now_ms, longest_wait_ms);
}

// Counts the calls inside a handle: closing it rejects new calls and waits for the last one to leave.
class call_count {
  public:
    // Registers a call during its lifetime; false: the handle is closed, and the call must not continue.
    class call {
      public:
        explicit call(call_count& calls) : calls_(calls), admitted_(calls.enter()) {}
        ~call() {
            if (admitted_) calls_.leave();
        }
        call(const call&) = delete;
        call& operator=(const call&) = delete;
        explicit operator bool() const { return admitted_; }

      private:
        call_count& calls_;
        const bool admitted_;
    };

    void close() {
        const std::lock_guard hold(lock_);
        closed_ = true;
    }

    bool is_closed() const {
        const std::lock_guard hold(lock_);
        return closed_;
    }

    // Waits after close(); returns false if calls are still inside at the end of the time.
    bool wait_for_last(std::chrono::steady_clock::time_point until) {
        std::unique_lock hold(lock_);
        return left_.wait_until(hold, until, [this] { return inside_ == 0; });
    }

  private:
    bool enter() {
        const std::lock_guard hold(lock_);
        if (closed_) return false;
        ++inside_;
        return true;
    }
    void leave() {
        const std::lock_guard hold(lock_);
        if (--inside_ == 0 && closed_) left_.notify_all();
    }

    mutable std::mutex lock_;
    std::condition_variable left_;
    std::uint64_t inside_ = 0;
    bool closed_ = false;
};

// A timed mutex with a wait that can be canceled; held by a call that drives the loop.  Not a std::timed_mutex, because
// ThreadSanitizer of g++ 12 does not know pthread_mutex_clocklock and would not see the owner.
class cancellable_mutex {
  public:
    void lock() {
        std::unique_lock hold(lock_);
        freed_.wait(hold, [this] { return !taken_; });
        taken_ = true;
    }

    bool try_lock() {
        const std::lock_guard hold(lock_);
        return !std::exchange(taken_, true);
    }

    // Returns an empty lock if the mutex was not free in time, or if give_up() returns true; rouse() causes that check.
    std::unique_lock<cancellable_mutex> taken_within(std::int64_t limit_ms, function_ref<bool()> give_up) {
        std::unique_lock hold(lock_);
        freed_.wait_for(hold, std::chrono::milliseconds(limit_ms), [&] { return !taken_ || give_up(); });
        if (taken_ || give_up()) return {};
        taken_ = true;
        return {*this, std::adopt_lock};
    }

    void unlock() {
        const std::lock_guard hold(lock_);
        taken_ = false;
        freed_.notify_all();
    }

    void rouse() {
        const std::lock_guard hold(lock_);  // a thread that has just checked the condition is waiting by now
        freed_.notify_all();
    }

  private:
    std::mutex lock_;
    std::condition_variable freed_;
    bool taken_ = false;
};

// One descriptor for a host's loop: readable while an event waits; if the host drives, also when the network has work, a timer is
// due or a scaler was changed.  Created at the first request; until then this class makes no system calls.

class wake_descriptor {
  public:
    wake_descriptor() = default;
    ~wake_descriptor();
    wake_descriptor(const wake_descriptor&) = delete;
    wake_descriptor& operator=(const wake_descriptor&) = delete;

    // network: the client's descriptor, which the host's loop watches through this one.
    result<int> open(int network);

    // Thread-safe.
    void event_waits(bool waits);
    void stir();

    // Driving thread only.
    void host_drives(bool drives);     // false: a thread drives, and the host need not watch the network
    void wake_after(std::int64_t ms);  // after a step: the next step is due then; -1: none

  private:
    void watch(int descriptor, bool watched) const;
    void close_all();

    std::mutex lock_;
    int all_ = -1;  // an epoll over the others
    int events_ = -1, stirred_ = -1, timer_ = -1;
    int network_ = -1;  // the client's own
    bool event_waits_ = false;
    bool host_drives_ = true;
};

}  // namespace gputide::runtime
