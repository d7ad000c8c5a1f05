// Error classes are finer than statuses.  One table gives the name, the status and whether a retry may help.
// Code compares classes; the names are for gputide_error.detail and for people.
#pragma once

#include "base/status.hpp"

#include <cstdint>
#include <string_view>

namespace gputide {

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
