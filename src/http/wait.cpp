// The part of wait.hpp that does not depend on what is waited for.
#include "http/wait.hpp"

#include <limits>

namespace gputide::http {

status drive_until(client& on, const std::function<bool()>& finished, std::int64_t deadline_ms,
                   const cancel_flag* cancel) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::int64_t until_ms = deadline_ms < most - last_words_ms ? deadline_ms + last_words_ms : most;
    if (cancel == nullptr) return on.drive(finished, until_ms) ? status::ok : status::timeout;

    const std::uint64_t key = cancel->on_fire([&on] { on.wake(); });
    on.drive([&] { return finished() || cancel->fired(); }, until_ms);
    cancel->forget(key);
    if (finished()) return status::ok;
    return cancel->fired() ? status::cancelled : status::timeout;
}

}  // namespace gputide::http
