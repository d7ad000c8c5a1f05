// The classes of failure in this room, each with its word, its status and whether the same call may work later.
// One table for the token side and the metric side, so that a word never means two things.
#pragma once

#include "base/error.hpp"

#include <string>

namespace gputide::auth {

enum class failure {
    config,           // found before sending, or a setting is plainly wrong
    permanent,        // the identity service will refuse the same request again
    propagation,      // the federated credential is not known yet
    stale_assertion,  // the projected token has expired and the file has not changed
    transient,        // service or network, for now
    throttled,        // too many requests
    protocol,         // an answer that cannot be used
    unavailable,      // this credential source does not exist here; a chain moves on
    security,         // going on would have been unsafe
    timeout,          // the caller's deadline, or a query that was too heavy
    cancelled,        // the caller's cancel
    auth,             // metric side: the token was refused
    forbidden,        // metric side: a role is missing
    rejected,         // metric side: the service will refuse the same query again (its word is "permanent" too)
};

const char* word_of(failure what) noexcept;

// An error with status, error_class and retryable as the class says.
error failed(failure what, std::string message);

// A configuration error that a later call may not meet any more: a file that may still appear.
error missing_for_now(std::string message);

}  // namespace gputide::auth
