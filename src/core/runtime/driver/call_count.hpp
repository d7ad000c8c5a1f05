// How many calls are inside a handle, so that whoever closes it can wait for the last one to leave and lets no new one in.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gputide::runtime {

class call_count {
  public:
    // One call, from its beginning to its end; false: the handle is closed, and the call must not go on.
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

    // After close(): false where some are inside still when the time has passed.
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

}  // namespace gputide::runtime
