// The classes of failure: finer than the statuses, one table from class to word, status and whether to try again.
// Code compares classes; the words are for gputide_error.detail and for people.
#pragma once

#include "base/status.hpp"

#include <cstdint>
#include <string_view>

namespace gputide {

enum class error_class : std::uint8_t {
    none,       // the status says all
    config,     // found before sending, or a setting is plainly wrong
    authority,  // config: the identity service that a setting names is none that may be given a token

    // ---- who asks, and for what
    permanent,        // the identity service will refuse the same request again
    propagation,      // the federated credential is not known yet
    stale_assertion,  // the projected token has expired and the file has not changed
    auth,             // the token was refused
    forbidden,        // a role is missing
    signed_out,       // permanent: nobody is signed in to the program that was asked
    unavailable,      // this credential or source does not exist here; a chain moves on
    security,         // going on would have been unsafe
    rejected,         // the service will refuse the same query again

    // ---- for now
    transient,     // service or network
    throttled,     // too many requests
    request_loop,  // throttled: the service saw the same request again and again; a repeat is the fault
    timeout,       // the caller's deadline, or a query that was too heavy
    cancelled,     // the caller's cancel

    // ---- the answer
    http,           // an HTTP status that is no answer: fail_http() takes the status of it
    unencrypted,    // http: a port for TLS that was asked in plain text; https is the remedy
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

// "stale_assertion"; "" for none.  Append-only and compared by the conformance files, so two classes may share one.
std::string_view class_word(error_class kind) noexcept;

// What an error of that class is unless its maker knows better: a status, and whether the same call, unchanged, may work
// later.
struct class_meaning {
    gputide::status status;
    bool retryable;
};
class_meaning meaning_of(error_class kind) noexcept;

}  // namespace gputide
