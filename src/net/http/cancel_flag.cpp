// The flag of a cancel handle: fired once, seen by every copy, wakes all waiters.
#include "http/client.hpp"

#include <atomic>
#include <map>
#include <mutex>

namespace gputide::http {

struct cancel_flag::shared {
    std::atomic<bool> fired{false};
    std::mutex mutex;
    std::map<std::uint64_t, std::function<void()>> wakes;
    std::uint64_t last_key = 0;
};

cancel_flag::cancel_flag() : shared_(std::make_shared<shared>()) {}

// Callbacks run under the lock: after forget() has returned, its callback is not running.
void cancel_flag::fire() {
    const std::lock_guard lock(shared_->mutex);
    shared_->fired.store(true);
    for (const auto& [key, wake] : shared_->wakes) wake();
}

void cancel_flag::reset() { shared_->fired.store(false); }

bool cancel_flag::fired() const { return shared_->fired.load(); }

std::uint64_t cancel_flag::on_fire(std::function<void()> wake) const {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->fired.load()) wake();
    shared_->wakes.emplace(++shared_->last_key, std::move(wake));
    return shared_->last_key;
}

void cancel_flag::forget(std::uint64_t key) const {
    const std::lock_guard lock(shared_->mutex);
    shared_->wakes.erase(key);
}

}  // namespace gputide::http
