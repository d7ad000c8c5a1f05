// The statuses and classes of all errors in the library, and the caller's action for each.  The numbers are those of gputide.h (capi/
// asserts it); they are append-only.
#pragma once

#include <cstdint>
#include <string_view>

namespace gputide {

enum class status : std::int32_t {
    ok = 0,
    invalid = 1,      // a manifest, setting or argument is wrong
    auth = 2,         // credentials were refused
    forbidden = 3,    // credentials are valid, a role is missing
    throttled = 4,    // too many requests; wait until retry_at_ms
    unavailable = 5,  // network or service, temporarily
    not_here = 6,     // this credential source does not exist on this machine; a chain tries the next
    timeout = 7,      // the caller's deadline
    cancelled = 8,    // the caller's cancel
    rejected = 9,     // the peer will refuse the same query again
    protocol = 10,    // an invalid response
    security = 11,    // stopped because continuing is unsafe
    no_data = 12,     // the query works and returns no value
    ambiguous = 13,   // several values where exactly one is needed
    partial = 14,     // the peer marked its response as incomplete
    limit = 15,       // a size, depth or count limit of this library
    state = 16,       // a saved state that is damaged or foreign
    too_new = 17,     // a struct of a newer release of this library
    no_memory = 18,
    bug = 19,        // a bug of this library
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
    allow_by_name = 7,  // allow the name in the host's options, or correct it
    upgrade = 8,
    report_bug = 9,
};

// Returns "E_INVALID" and so on; "OK" for ok and "E_UNKNOWN" for an unknown number.
const char* status_name(status code) noexcept;

// Returns the usual action for a status; action_of() in error.hpp returns the action for one error.
action status_action(status code) noexcept;

// Returns the action for a call that cannot succeed later without a change: never retry or wait.
action final_action(status code) noexcept;

// Tells whether a failure with this status is usually temporary.
bool usually_passes(status code) noexcept;

// Returns "fix_credentials"; "unknown" for an unknown number.
const char* action_name(action next) noexcept;

// Error classes are finer than statuses.  One table gives the name, the status and whether a retry may help.
// Code compares classes; the names are for gputide_error.detail and for people.

enum class error_class : std::uint8_t {
    none,       // no class: the status is sufficient
    config,     // found before sending, or an invalid setting
    authority,  // config: a setting names an identity service that may not receive a token

    // ---- credentials and permissions
    permanent,        // the identity service will refuse the same request again
    propagation,      // the federated credential has not propagated yet
    stale_assertion,  // the projected token has expired and the file has not changed
    auth,             // the token was refused
    forbidden,        // a role is missing
    signed_out,       // permanent: no user is signed in to the program that was run
    unavailable,      // this credential or source does not exist here; a chain moves on
    security,         // stopped because continuing is unsafe
    rejected,         // the service will refuse the same query again

    // ---- temporary
    transient,     // service or network
    throttled,     // too many requests
    request_loop,  // throttled: the service received the same request repeatedly; do not repeat it
    timeout,       // the caller's deadline, or a query that was too heavy
    cancelled,     // the caller's cancel

    // ---- the response
    http,           // an unexpected HTTP status: fail_http() derives the status from it
    unencrypted,    // http: plain text was sent to a TLS port; use https
    api,            // Prometheus' {"status":"error"}; errorType determines the status
    server_status,  // a Kubernetes Status object; its code determines the status
    redirect,       // 3xx
    encoding,       // a content coding that cannot be decoded
    not_json,
    shape,  // JSON or a page that differs from the documented format
    range,  // a number that does not fit its type
    bad_type,
    bad_value,
    unprintable,  // bad_value: the exporter could not format a field and wrote an error text in place of the number
    protocol,     // any other unusable response
    peer,         // the peer reports that it could not measure
    limit,        // larger than the limits of this library
    no_memory,

    // ---- the numbers
    no_data,
    stale,
    ambiguous,
    partial,
    selector,  // a scale without a selector
};

// Returns "stale_assertion"; "" for none.  Append-only; the conformance files compare it, so two classes may share a
// name.
std::string_view class_word(error_class kind) noexcept;

// Defaults of an error class: the status, and whether the same call, unchanged, may succeed later.
struct class_meaning {
    gputide::status status;
    bool retryable;
};
class_meaning meaning_of(error_class kind) noexcept;

}  // namespace gputide
