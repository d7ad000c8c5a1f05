// Backoff of a pool after a failed scale-up.  kubernetes/autoscaler utils/backoff/exponential_backoff.go.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gputide::nodes {

struct backoff_rules {
    std::int64_t initial_ms = 5 * 60'000;
    std::int64_t max_ms = 30 * 60'000;
    std::int64_t reset_ms = 3 * 3'600'000;
};

struct backoff_entry {
    std::int64_t duration_ms = 0;
    std::int64_t until_ms = 0;
    std::int64_t failed_ms = 0;  // time of the last failure

    friend bool operator==(const backoff_entry&, const backoff_entry&) = default;
};

using backoffs = std::map<std::string, backoff_entry>;

// Records a failure.  The first one waits initial_ms; a failure after the last wait has ended waits twice as long, up
// to max_ms; a failure during a wait restarts the same wait, since concurrent scale-ups fail together.
void note_failure(backoffs& all, const std::string& pool, std::int64_t now_ms, const backoff_rules& rules);

// Tells whether until ≥ now, the last moment included.
bool is_backed_off(const backoffs& all, const std::string& pool, std::int64_t now_ms);

// Removes entries with a last failure more than reset_ms ago.
void forget_old(backoffs& all, std::int64_t now_ms, const backoff_rules& rules);

}  // namespace gputide::nodes
