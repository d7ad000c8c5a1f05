// The part of wait.hpp that does not depend on the result type.
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

    const wake_on_cancel during(cancel, [&client] { client.wake(); });
    client.drive([&] { return finished() || cancel->fired(); }, until_ms);
    if (finished()) return status::ok;
    return cancel->fired() ? status::cancelled : status::timeout;
}

// Timers of one time fire in their order: after this one, everything posted before has run.
void run_posted(client& client) {
    const auto stopped = std::make_shared<std::atomic<bool>>(false);
    client.after(0, [stopped] { stopped->store(true); });
    while (!client.drive([stopped] { return stopped->load(); }, std::numeric_limits<std::int64_t>::max())) {
    }
}

void stop(client& client, posted& under_way) {
    client.run_between([&under_way] { under_way.stop(); });
}

}  // namespace gputide::http
