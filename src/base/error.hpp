// What went wrong, as a value: which class, where, what was expected, what came, what to do, when to come back.
// Comes in from every room; goes out through capi/ as gputide_error.  Never holds a secret (see redact.hpp).
// Code decides by status, class and the numbers here; never by the texts, which are for people.
#pragma once

#include "base/error_class.hpp"
#include "base/place.hpp"
#include "base/status.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gputide {

struct error {
    gputide::status status = gputide::status::bug;
    gputide::error_class error_class = gputide::error_class::none;
    bool retryable = false;           // the same call, unchanged, may work later
    bool past_deadline = false;       // another attempt was due; only the caller's deadline stood in the way
    std::int32_t http_status = 0;     // 0: no HTTP answer
    std::int64_t retry_at_ms = 0;     // Unix milliseconds; 0: not said
    std::int64_t retry_after_ms = 0;  // as the peer asked, where nobody with a clock has made retry_at_ms of it yet
    std::int64_t service_number = 0;  // the peer's own number: 700024 of AADSTS700024; 0: none
    std::string service_code;         // the peer's own code: AADSTS700024, bad_data, InsufficientAccessError, ...
    place where;                      // may be empty
    std::string message;              // one or more sentences for a person; no newline at the end
    std::vector<std::pair<std::string, std::string>> fields;  // what else the peer said: suberror, claims, trace_id
};

// A status and a sentence.  Retryable where such a status usually passes by itself.
inline error fail(status code, std::string message) {
    error out;
    out.status = code;
    out.message = std::move(message);
    out.retryable = usually_passes(code);
    return out;
}

// A class and a sentence: status and retryable by the table of error_class.hpp.
inline error fail(error_class kind, std::string message) {
    const class_meaning means = meaning_of(kind);
    error out = fail(means.status, std::move(message));
    out.error_class = kind;
    out.retryable = means.retryable;
    return out;
}

// The same with a place: fail_at(error_class::config, "trigger 0 (prometheus)", "threshold: expected a number, got \"abc\"").
template <class Kind>
error fail_at(Kind kind, place where, std::string message) {
    error out = fail(kind, std::move(message));
    out.where = std::move(where);
    return out;
}
template <class Kind>
error fail_at(Kind kind, std::string thing, std::string message) {
    return fail_at(kind, named(std::move(thing)), std::move(message));
}

// A configuration error that a later call may not meet any more: a file that may still appear.
inline error fail_for_now(std::string message) {
    error out = fail(error_class::config, std::move(message));
    out.retryable = true;
    return out;
}

// What the caller should do: the status' action, unless `retryable` says otherwise.  Never to come back (retry, wait)
// where the same call cannot work, and never nothing where it can.
action action_of(const error& why) noexcept;

// {"class":"...","suberror":"..."}: class, waiting and fields as JSON, as gputide_error.detail holds it; "" if there are
// none.
std::string detail_json(const error& why);

}  // namespace gputide
