// The blocking calls of client.hpp, and the flag that ends them.
#include "http/client.hpp"

#include <atomic>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

namespace gputide::http {

status drive_until(client& client, function_ref<bool()> finished, std::int64_t deadline_ms, const cancel_flag* cancel) {
    const std::int64_t max_ms = std::numeric_limits<std::int64_t>::max();
    const std::int64_t until_ms = deadline_ms < max_ms - last_words_ms ? deadline_ms + last_words_ms : max_ms;
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

namespace {

// Cancels the posted work and waits until that is done: afterwards none of it runs.  Allocates nothing.
void stop(client& client, posted& under_way) {
    client.run_between([&under_way] { under_way.stop(); });
}

}  // namespace

result<void> wait_for_end(client& client, callback<std::shared_ptr<exchange>(callback<void()>)> start,
                          std::int64_t deadline_ms, const cancel_flag* cancel) {
    struct slot {
        std::atomic<bool> is_over{false};
        std::exception_ptr thrown;  // thrown by `start`, possibly on another waiting thread
    };
    const auto here = std::make_shared<slot>();
    const auto under_way = post_work(
        client, [here, start = std::move(start)](const std::shared_ptr<posted>& handle) -> std::shared_ptr<exchange> {
            try {
                return start([here, handle] {
                    if (handle->end()) here->is_over.store(true, std::memory_order_release);
                });
            } catch (...) {
                here->thrown = std::current_exception();
                here->is_over.store(true, std::memory_order_release);
                return nullptr;
            }
        });
    status why = status::no_memory;
    try {
        why = drive_until(
            client, [&here] { return here->is_over.load(std::memory_order_acquire); }, deadline_ms, cancel);
    } catch (...) {
        stop(client, *under_way);
        throw;
    }
    if (why == status::ok && here->thrown) std::rethrow_exception(here->thrown);
    if (why == status::ok) return {};
    stop(client, *under_way);
    if (why == status::cancelled) return fail(why, "canceled by the caller");
    return fail(why, "the deadline passed before there was an answer; allow more time or check the peer");
}

// The flag of a cancel handle: fired once, seen by every copy, wakes all waiters.

struct cancel_flag::shared {
    std::atomic<bool> fired{false};
    std::mutex mutex;
    std::map<std::uint64_t, callback<void()>> wakes;
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

std::uint64_t cancel_flag::on_fire(callback<void()> wake) const {
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
