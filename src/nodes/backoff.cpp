#include "nodes/backoff.hpp"

#include "base/saturate.hpp"
#include "nodes/resources.hpp"

#include <algorithm>

namespace gputide::nodes {

void note_failure(backoffs& all, const std::string& pool, std::int64_t now_ms, const backoff_rules& rules) {
    const auto [at, is_new] = all.try_emplace(pool);
    backoff_entry& one = at->second;
    if (is_new) {
        one.duration_ms = rules.initial_ms;
    } else if (one.until_ms < now_ms) {
        one.duration_ms = std::min(multiply_saturating(one.duration_ms, 2), rules.max_ms);
    }
    one.until_ms = add_saturating(now_ms, one.duration_ms);
    one.failed_ms = now_ms;
}

bool is_backed_off(const backoffs& all, const std::string& pool, std::int64_t now_ms) {
    const auto found = all.find(pool);
    return found != all.end() && found->second.until_ms >= now_ms;
}

void forget_old(backoffs& all, std::int64_t now_ms, const backoff_rules& rules) {
    std::erase_if(all, [&](const auto& one) { return add_saturating(one.second.failed_ms, rules.reset_ms) < now_ms; });
}

}  // namespace gputide::nodes
