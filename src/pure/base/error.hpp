// An error as a value: class, place, what was expected, what was found, what to do, when to retry.
// Every module returns it; capi/ passes it on as gputide_error.  It never holds a secret (see redact.hpp).
// Code decides by status, class and the numbers here, never by the texts, which are for people.
#pragma once

#include "base/error_class.hpp"
#include "base/place.hpp"
#include "base/status.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gputide {

// Special members and factory functions are compiled once, not inlined into each of the hundreds of callers.  The
// factory functions are marked cold.
struct error {
    error();
    explicit error(gputide::status code);  // without a message; status::ok means no error
    error(const error& other);
    error(error&& other) noexcept;
    error& operator=(const error& other);
    error& operator=(error&& other) noexcept;
    ~error();

    gputide::status status = gputide::status::bug;
    gputide::error_class error_class = gputide::error_class::none;
    bool retryable = false;           // the same call, unchanged, may succeed later
    bool past_deadline = false;       // a further attempt was due; only the caller's deadline prevented it
    std::int32_t http_status = 0;     // 0: no HTTP response
    std::int64_t retry_at_ms = 0;     // Unix milliseconds; 0: unknown
    std::int64_t retry_after_ms = 0;  // as the peer asked, until a caller with a clock computes retry_at_ms from it
    std::int64_t service_number = 0;  // the peer's own number: 700024 of AADSTS700024; 0: none
    std::string service_code;         // the peer's own code: AADSTS700024, bad_data, InsufficientAccessError, ...
    place where;                      // may be empty
    std::string message;              // one or more sentences for a person; no newline at the end
    std::vector<std::pair<std::string, std::string>> fields;  // other details from the peer: suberror, claims, trace_id
};

// Returns an error with that status and message.  Retryable if such a status usually passes by itself.
[[gnu::cold]] error fail(status code, std::string message);

// Returns an error with that class and message; status and retryable come from the table of error_class.hpp.
[[gnu::cold]] error fail(error_class kind, std::string message);

// Adds a place: fail_at(error_class::config, "trigger 0 (prometheus)", "threshold: expected a number, got \"abc\"").
[[gnu::cold]] error fail_at(status code, place where, std::string message);
[[gnu::cold]] error fail_at(status code, std::string thing, std::string message);
[[gnu::cold]] error fail_at(error_class kind, place where, std::string message);
[[gnu::cold]] error fail_at(error_class kind, std::string thing, std::string message);

// Returns a configuration error that may pass by itself: a file that may still appear.
[[gnu::cold]] error fail_for_now(std::string message);

// Returns what the caller should do: the status' action, adjusted to `retryable`.  retry and wait only if the error is
// retryable; never none if it is.
action action_of(const error& why) noexcept;

// Returns class, wait and fields as JSON, as in gputide_error.detail: {"class":"...","suberror":"..."}; "" if there are
// none.
std::string detail_json(const error& why);

}  // namespace gputide
