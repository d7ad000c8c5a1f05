// What std::timed_mutex is, but a cancel ends the wait for it, and ThreadSanitizer of g++ 12, which does not know
// pthread_mutex_clocklock, sees who holds it.  The driver's: whoever drives by steps holds it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace gputide::runtime {

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

    // Empty-handed where another held it all the time, or once give_up() holds: rouse() has that looked at.
    std::unique_lock<cancellable_mutex> taken_within(std::int64_t limit_ms, const std::function<bool()>& give_up) {
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
        const std::lock_guard hold(lock_);  // one who has just looked is waiting by now
        freed_.notify_all();
    }

  private:
    std::mutex lock_;
    std::condition_variable freed_;
    bool taken_ = false;
};

}  // namespace gputide::runtime
