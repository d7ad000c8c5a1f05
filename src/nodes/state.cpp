#include "nodes/state.hpp"

#include "nodes/resources.hpp"

namespace gputide::nodes {

void record(state& of, event_kind kind, const std::string& pool, std::int64_t nodes, std::int64_t now_ms,
            const backoff_rules& rules) {
    switch (kind) {
        case event_kind::added: {
            scale_up_request& open = of.requests[pool];
            open.nodes = add_saturated(open.nodes, nodes);
            open.time_ms = now_ms;
            of.past.add_ms = now_ms;
            break;
        }
        case event_kind::failed:
            of.requests.erase(pool);
            note_failure(of.backoff, pool, now_ms, rules);
            break;
        case event_kind::removed:
            (nodes > 0 ? of.past.delete_ms : of.past.failure_ms) = now_ms;
            break;
    }
}

}  // namespace gputide::nodes
