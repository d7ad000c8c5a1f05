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

// Its special members and its makers are compiled once, not into each of the hundreds of places that may fail; what leads to
// a maker is known to be rare.
struct error {
    error();
    explicit error(gputide::status code);  // without a word: status::ok is what nothing has gone wrong with
    error(const error& other);
    error(error&& other) noexcept;
    error& operator=(const error& other);
    error& operator=(error&& other) noexcept;
    ~error();

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
[[gnu::cold]] error fail(status code, std::string message);

// A class and a sentence: status and retryable by the table of error_class.hpp.
[[gnu::cold]] error fail(error_class kind, std::string message);

// The same with a place: fail_at(error_class::config, "trigger 0 (prometheus)", "threshold: expected a number, got \"abc\"").
[[gnu::cold]] error fail_at(status code, place where, std::string message);
[[gnu::cold]] error fail_at(status code, std::string thing, std::string message);
[[gnu::cold]] error fail_at(error_class kind, place where, std::string message);
[[gnu::cold]] error fail_at(error_class kind, std::string thing, std::string message);

// A configuration error that a later call may not meet any more: a file that may still appear.
[[gnu::cold]] error fail_for_now(std::string message);

// What the caller should do: the status' action, unless `retryable` says otherwise.  Never to come back (retry, wait)
// where the same call cannot work, and never nothing where it can.
action action_of(const error& why) noexcept;

// {"class":"...","suberror":"..."}: class, waiting and fields as JSON, as gputide_error.detail holds it; "" if there are
// none.
std::string detail_json(const error& why);

}  // namespace gputide
