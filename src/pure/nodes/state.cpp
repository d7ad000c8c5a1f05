#include "nodes/state.hpp"

#include "base/saturate.hpp"
#include "nodes/resources.hpp"

namespace gputide::nodes {

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
