#include "nodes/state.hpp"

#include "base/saturate.hpp"
#include "nodes/resources.hpp"

#include <algorithm>

namespace gputide::nodes {

void note_failure(backoffs& all, const std::string& pool, std::int64_t now_ms, const backoff_rules& rules) {
    const auto [at, is_new] = all.try_emplace(pool);
    backoff_entry& entry = at->second;
    if (is_new) {
        entry.duration_ms = rules.initial_ms;
    } else if (entry.until_ms < now_ms) {
        entry.duration_ms = std::min(multiply_saturating(entry.duration_ms, 2), rules.max_ms);
    }
    entry.until_ms = add_saturating(now_ms, entry.duration_ms);
    entry.failed_ms = now_ms;
}

bool is_backed_off(const backoffs& all, const std::string& pool, std::int64_t now_ms) {
    const auto found = all.find(pool);
    return found != all.end() && found->second.until_ms >= now_ms;
}

void forget_old(backoffs& all, std::int64_t now_ms, const backoff_rules& rules) {
    std::erase_if(all,
                  [&](const auto& entry) { return add_saturating(entry.second.failed_ms, rules.reset_ms) < now_ms; });
}

void record(state& state, event_kind kind, const std::string& pool, std::int64_t nodes, std::int64_t now_ms,
            const backoff_rules& rules) {
    switch (kind) {
        case event_kind::added: {
            scale_up_request& open = state.requests[pool];
            open.nodes = add_saturating(open.nodes, nodes);
            open.time_ms = now_ms;
            state.past.add_ms = now_ms;
            break;
        }
        case event_kind::failed:
            state.requests.erase(pool);
            note_failure(state.backoff, pool, now_ms, rules);
            break;
        case event_kind::removed:
            (nodes > 0 ? state.past.delete_ms : state.past.failure_ms) = now_ms;
            break;
    }
}

}  // namespace gputide::nodes
