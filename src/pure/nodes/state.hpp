// The state that a plan passes to the next one.
#pragma once

#include "base/result.hpp"
#include "nodes/options.hpp"
#include "nodes/scale_down/eligibility.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gputide::nodes {

struct backoff_entry {
    std::int64_t duration_ms = 0;
    std::int64_t until_ms = 0;
    std::int64_t failed_ms = 0;  // time of the last failure

    friend bool operator==(const backoff_entry&, const backoff_entry&) = default;
};

using backoffs = std::map<std::string, backoff_entry>;

// Records a failure.  The first failure waits backoff_initial_ms.  A failure after the last wait has ended waits twice as long, up to
// backoff_max_ms.  A failure during a wait restarts the same wait, because concurrent scale-ups fail together.
void note_failure(backoffs& all, const std::string& pool, std::int64_t now_ms, const options& how);

// Tells whether the backoff has not ended (until ≥ now).
bool is_backed_off(const backoffs& all, const std::string& pool, std::int64_t now_ms);

// Removes entries with a last failure more than backoff_reset_ms ago.
void forget_old(backoffs& all, std::int64_t now_ms, const options& how);

// The state that a plan passes to the next one.

// An open scale-up request.
struct scale_up_request {
    std::int64_t nodes = 0;
    std::int64_t time_ms = 0;

    friend bool operator==(const scale_up_request&, const scale_up_request&) = default;
};

struct state {
    std::int64_t planned_ms = 0;                            // time of the last plan; 0: no plan yet
    std::map<std::string, std::int64_t> unneeded_since_ms;  // by node
    // By node: not simulated again until unremovable-node-recheck-timeout.
    std::map<std::string, std::int64_t> unremovable_since_ms;
    std::map<std::string, scale_up_request> requests;  // by pool
    backoffs backoff;                                  // by pool
    past_actions past;
};

// An action of the host, or a failure that it reports.
enum class event_kind : std::int32_t { added = 1, failed = 2, removed = 3 };

// Records an event. added: a request for nodes of that pool is open. failed: the request has ended, the pool is in backoff.
// removed: nodes were deleted, or their deletion failed (nodes 0).
void record(state& state, event_kind kind, const std::string& pool, std::int64_t nodes, std::int64_t now_ms,
            const options& how);

// Serializes the state between two plans.
std::string save_state(const state& state);

// Loads a saved state completely or not at all; "" is a new state.  Rejects any text that save_state did not write with
// E_STATE.
result<state> load_state(std::string_view text);

}  // namespace gputide::nodes
