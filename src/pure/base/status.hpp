// The statuses of all errors in the library, and what the caller should do about each.
// The numbers are those of gputide.h (capi/ asserts it); they are append-only.
#pragma once

#include <cstdint>

namespace gputide {

enum class status : std::int32_t {
    ok = 0,
    invalid = 1,      // a manifest, setting or argument is wrong
    auth = 2,         // credentials were refused
    forbidden = 3,    // credentials are good, a role is missing
    throttled = 4,    // too many requests; wait until retry_at_ms
    unavailable = 5,  // network or service, for now
    not_here = 6,     // this credential source does not exist on this machine; a chain continues
    timeout = 7,      // the caller's deadline
    cancelled = 8,    // the caller's cancel
    rejected = 9,     // the peer will refuse the same query again
    protocol = 10,    // an unusable response
    security = 11,    // going on would have been unsafe
    no_data = 12,     // the query works and there is no value
    ambiguous = 13,   // several values where one is needed
    partial = 14,     // the peer says that its answer is incomplete
    limit = 15,       // a size, depth or count limit of ours
    state = 16,       // a saved state that is damaged or foreign
    too_new = 17,     // a struct of a newer library than this one
    no_memory = 18,
    bug = 19,        // ours: please report
    not_found = 20,  // an unknown id or name
};

enum class action : std::int32_t {
    none = 0,
    retry = 1,
    wait = 2,  // until retry_at_ms
    fix_configuration = 3,
    fix_credentials = 4,
    grant_role = 5,
    fix_query = 6,
    allow_by_name = 7,  // or correct it: the host must allow it explicitly
    upgrade = 8,
    report_bug = 9,
};

// Returns "E_INVALID" and so on; "OK" for ok and "E_UNKNOWN" for an unknown number.
const char* status_name(status code) noexcept;

// Returns the usual action for a failure of that status; action_of() in error.hpp returns that of one error.
action status_action(status code) noexcept;

// Returns the action if the call, unchanged, cannot succeed later: never retry or wait.
action final_action(status code) noexcept;

// Tells whether a failure of that status usually passes by itself.
bool usually_passes(status code) noexcept;

// Returns "fix_credentials"; "unknown" for an unknown number.
const char* action_name(action next) noexcept;

}  // namespace gputide
