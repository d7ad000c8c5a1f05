// Error classes are finer than statuses.  One table gives the name, the status and whether a retry may help.
// Code compares classes; the names are for gputide_error.detail and for people.
#pragma once

#include "base/status.hpp"

#include <cstdint>
#include <string_view>

namespace gputide {

enum class error_class : std::uint8_t {
    none,       // the status says all
    config,     // found before sending, or a setting is plainly wrong
    authority,  // config: the identity service that a setting names may not receive a token

    // ---- credentials and permissions
    permanent,        // the identity service will refuse the same request again
    propagation,      // the federated credential is not known yet
    stale_assertion,  // the projected token has expired and the file has not changed
    auth,             // the token was refused
    forbidden,        // a role is missing
    signed_out,       // permanent: no user is signed in to the program that was run
    unavailable,      // this credential or source does not exist here; a chain moves on
    security,         // going on would have been unsafe
    rejected,         // the service will refuse the same query again

    // ---- temporary
    transient,     // service or network
    throttled,     // too many requests
    request_loop,  // throttled: the service saw the same request again and again; a repeat is the fault
    timeout,       // the caller's deadline, or a query that was too heavy
    cancelled,     // the caller's cancel

    // ---- the response
    http,           // an unexpected HTTP status: fail_http() takes the status of it
    unencrypted,    // http: plain text sent to a TLS port; https is the remedy
    api,            // Prometheus' {"status":"error"}: by its errorType
    server_status,  // a Kubernetes Status object: by its code
    redirect,       // 3xx
    encoding,       // a content coding that cannot be undone
    not_json,
    shape,  // JSON, or a page, that is not what the API documents
    range,  // a number beyond what can be held
    bad_type,
    bad_value,
    unprintable,  // bad_value: the exporter could not print a field and wrote so in the number's place
    protocol,     // anything else that cannot be used
    peer,         // the peer says that it could not measure
    limit,        // larger than our limits
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

// Defaults of an error of that class: a status, and whether the same call, unchanged, may succeed later.
struct class_meaning {
    gputide::status status;
    bool retryable;
};
class_meaning meaning_of(error_class kind) noexcept;

}  // namespace gputide
