// How long a pool that failed is left alone.  kubernetes/autoscaler utils/backoff/exponential_backoff.go.
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
    std::int64_t failed_ms = 0;  // last

    friend bool operator==(const backoff_entry&, const backoff_entry&) = default;
};

using backoffs = std::map<std::string, backoff_entry>;

// The first failure waits initial_ms; one after the last wait has ended waits twice as long, up to max_ms; one during a wait
// keeps its length and starts it anew, since scale-ups that run side by side fail side by side.
void note_failure(backoffs& all, const std::string& pool, std::int64_t now_ms, const backoff_rules& rules);

// until ≥ now, the last moment included.
bool is_backed_off(const backoffs& all, const std::string& pool, std::int64_t now_ms);

// Forgets what failed last more than reset_ms ago.
void forget_old(backoffs& all, std::int64_t now_ms, const backoff_rules& rules);

}  // namespace gputide::nodes
