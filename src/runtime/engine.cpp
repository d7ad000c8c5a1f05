#include "runtime/engine.hpp"

#include <atomic>
#include <mutex>
#include <unistd.h>

namespace gputide::runtime {
namespace {

// The weak pointer of one process, with the lock that guards it.
struct process_slot {
    std::mutex lock;
    std::weak_ptr<engine> current;
    const pid_t owner = ::getpid();
    process_slot* parents = nullptr;  // of the process that forked this one: never looked into
};

// A forked child makes a slot of its own.  The parent's lock may have been held, at that moment, by a thread that the child
// does not have, and what its pointer keeps alive is the parent's.
process_slot& own_slot() {
    static std::atomic<process_slot*> slot{nullptr};
    process_slot* known = slot.load(std::memory_order_acquire);
    if (known != nullptr && known->owner == ::getpid()) return *known;
    auto fresh = std::make_unique<process_slot>();
    fresh->parents = known;
    if (slot.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
    return *known;  // another thread was faster
}

}  // namespace

result<std::shared_ptr<engine>> shared_engine() {
    process_slot& slot = own_slot();
    const std::lock_guard hold(slot.lock);
    if (std::shared_ptr<engine> live = slot.current.lock()) return live;
    result<std::shared_ptr<http::client>> client = http::client::open({});
    if (!client) return std::move(client).failure();
    auto fresh = std::make_shared<engine>();
    fresh->client = *client;
    fresh->tokens = std::make_shared<auth::token_cache>(fresh->client);
    slot.current = fresh;
    return fresh;
}

}  // namespace gputide::runtime
