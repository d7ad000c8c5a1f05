// The part of wait.hpp that does not depend on what is waited for.
#include "http/wait.hpp"

#include <atomic>
#include <limits>
#include <memory>

namespace gputide::http {

status drive_until(client& client, const std::function<bool()>& finished, std::int64_t deadline_ms,
                   const cancel_flag* cancel) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::int64_t until_ms = deadline_ms < most - last_words_ms ? deadline_ms + last_words_ms : most;
    if (cancel == nullptr) return client.drive(finished, until_ms) ? status::ok : status::timeout;

    const std::uint64_t key = cancel->on_fire([&client] { client.wake(); });
    client.drive([&] { return finished() || cancel->fired(); }, until_ms);
    cancel->forget(key);
    if (finished()) return status::ok;
    return cancel->fired() ? status::cancelled : status::timeout;
}

// Timers of one moment fire in their order: behind the mark, all that was posted has been.
void run_posted(client& client) {
    const auto stopped = std::make_shared<std::atomic<bool>>(false);
    client.after(0, [stopped] { stopped->store(true); });
    while (!client.drive([stopped] { return stopped->load(); }, std::numeric_limits<std::int64_t>::max())) {
    }
}

void stop(client& client, exchange& under_way) {
    under_way.cancel();
    run_posted(client);
}

}  // namespace gputide::http
