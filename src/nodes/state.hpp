// What a plan has to remember until the next one.
#pragma once

#include "nodes/backoff.hpp"
#include "nodes/scale_down/timing.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace gputide::nodes {

// A pool was asked for more, and not all of it is there yet.
struct scale_up_request {
    std::int64_t nodes = 0;
    std::int64_t time_ms = 0;

    friend bool operator==(const scale_up_request&, const scale_up_request&) = default;
};

struct state {
    std::int64_t planned_ms = 0;                               // the last plan's time; 0: none yet
    std::map<std::string, std::int64_t> unneeded_since_ms;     // by node
    std::map<std::string, std::int64_t> unremovable_since_ms;  // by node: not looked at again for a while
    std::map<std::string, scale_up_request> requests;          // by pool
    backoffs backoff;                                          // by pool
    past_actions past;
};

// What a host did, or saw fail.
enum class event_kind : std::int32_t { added = 1, failed = 2, removed = 3 };

// added: a request for so many nodes of that pool is open.  failed: it is over, the pool is left alone for a while.
// removed: nodes were deleted, or their deletion failed (nodes 0).
void record(state& state, event_kind kind, const std::string& pool, std::int64_t nodes, std::int64_t now_ms,
            const backoff_rules& rules);

}  // namespace gputide::nodes
