#include "runtime/engine.hpp"

#include <mutex>
#include <unistd.h>

namespace gputide::runtime {
namespace {

struct shared_slot {
    std::mutex lock;
    std::weak_ptr<engine> current;
    pid_t owner = 0;
};

shared_slot& the_slot() {
    static shared_slot slot;
    return slot;
}

}  // namespace

result<std::shared_ptr<engine>> shared_engine() {
    shared_slot& slot = the_slot();
    const std::lock_guard hold(slot.lock);
    if (slot.owner == getpid()) {
        if (std::shared_ptr<engine> live = slot.current.lock()) return live;
    }
    result<std::shared_ptr<http::client>> client = http::client::open({});
    if (!client) return std::move(client).failure();
    auto made = std::make_shared<engine>();
    made->client = *client;
    made->tokens = std::make_shared<auth::token_cache>(made->client);
    slot.current = made;
    slot.owner = getpid();
    return made;
}

}  // namespace gputide::runtime
