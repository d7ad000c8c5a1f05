// The part of wait.hpp that does not depend on the result's type.
#include "http/wait.hpp"

#include "http/client.hpp"

#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

namespace gputide::http {

status drive_until(client& client, const std::function<bool()>& finished, std::int64_t deadline_ms,
                   const cancel_flag* cancel) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::int64_t until_ms = deadline_ms < most - last_words_ms ? deadline_ms + last_words_ms : most;
    if (cancel == nullptr) return client.drive(finished, until_ms) ? status::ok : status::timeout;

    const wake_on_cancel during(cancel, [&client] { client.wake(); });
    client.drive([&] { return finished() || cancel->fired(); }, until_ms);
    if (finished()) return status::ok;
    return cancel->fired() ? status::cancelled : status::timeout;
}

// Runs everything posted before: timers that are due at the same time run in order.
void run_posted(client& client) {
    const auto stopped = std::make_shared<std::atomic<bool>>(false);
    client.after(0, [stopped] { stopped->store(true); });
    while (!client.drive([stopped] { return stopped->load(); }, std::numeric_limits<std::int64_t>::max())) {
    }
}

void stop(client& client, posted& under_way) {
    client.run_between([&under_way] { under_way.stop(); });
}

// The flag of a cancel handle: fired once, seen by every copy, wakes all waiters.

struct cancel_flag::shared {
    std::atomic<bool> fired{false};
    std::mutex mutex;
    std::map<std::uint64_t, std::function<void()>> wakes;
    std::uint64_t last_key = 0;
};

cancel_flag::cancel_flag() : shared_(std::make_shared<shared>()) {}

// Fires the flag.  Callbacks run under the lock: after forget() has returned, its callback is not running.
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
