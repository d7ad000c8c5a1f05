// One number read from a metric source, or the reason that there is none.  What source/ gives and decide/ takes.
#pragma once

#include "base/status.hpp"

#include <cstdint>

namespace gputide {

// Why a sample has no value.  Append-only: the numbers are those of gputide.h and of saved traces.
enum class sample_state : std::int32_t {
    ok = 0,            // value holds
    empty = 1,         // the query answered and matched nothing
    not_a_number = 2,  // NaN or an infinity
    stale = 3,         // older than the age that the policy allows
    partial = 4,       // the peer marked its answer as incomplete
    ambiguous = 5,     // several values and no reducer
    auth = 6,          // 401, 403, or no token
    timeout = 7,       // no answer within the deadline
    failed = 8,        // every other error
    not_read = 9,      // nobody asked yet
};

// The peer answered the query, whether or not one number can be made of the answer.
inline bool answered(sample_state state) noexcept {
    switch (state) {
        case sample_state::ok:
        case sample_state::empty:
        case sample_state::not_a_number:
        case sample_state::stale:
        case sample_state::partial:
        case sample_state::ambiguous:
            return true;
        case sample_state::auth:
        case sample_state::timeout:
        case sample_state::failed:
        case sample_state::not_read:
            break;
    }
    return false;
}

struct sample {
    sample_state state = sample_state::not_read;
    gputide::status status = gputide::status::ok;  // of the failed read; ok where state is ok
    double value = 0.0;                            // finite where state is ok; otherwise 0
    std::int64_t time_ms = 0;                      // Unix milliseconds when the value was true; 0: unknown
    // The state was empty or not_a_number and the trigger's ignoreNullValues made value 0 of it; state then says ok.
    bool null_as_zero = false;
};

}  // namespace gputide
