// An error as a value: class, place, what was expected, what was found, what to do, when to retry.
// Every module returns it; capi/ passes it on as gputide_error.  It never holds a secret (see redact.hpp).
// Code decides by status, class and the numbers here, never by the texts, which are for people.
#pragma once

#include "base/format_text.hpp"
#include "base/status.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gputide {

// A place for an error message: a line of a text, or a named object.
struct place {
    std::string file;
    std::int32_t line = 0;    // from 1; 0: the place is not in a text
    std::int32_t column = 0;  // from 1
    std::string path;         // "spec.triggers[0].metadata.threshold", or a name: "trigger 0 (prometheus)"

    bool empty() const { return file.empty() && line == 0 && path.empty(); }
    std::string text() const;  // "so.yaml:17 spec.triggers[0].metadata.threshold"; "" if empty
};

// Returns the place of an object outside any text: named("trigger 0 (prometheus)").
inline place named(std::string thing) {
    place out;
    out.path = std::move(thing);
    return out;
}

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
    bool past_deadline = false;       // another attempt was due, but the caller's deadline prevented it
    std::int32_t http_status = 0;     // 0: no HTTP response
    std::int64_t retry_at_ms = 0;     // Unix milliseconds; 0: unknown
    std::int64_t retry_after_ms = 0;  // delay that the peer requested; for a caller that computes retry_at_ms
    std::int64_t service_number = 0;  // the peer's own number: 700024 of AADSTS700024; 0: none
    std::string service_code;         // the peer's own code: AADSTS700024, bad_data, InsufficientAccessError, ...
    place where;                      // may be empty
    std::string message;              // one or more sentences for a person; no newline at the end
    std::vector<std::pair<std::string, std::string>>
        fields;  // other details: of the peer (suberror, claims, trace_id), or of a text's first error
};

// Owns an error by one pointer, which fail() returns and a result holds: the error itself has more than 200 bytes.  Converts
// to an error for callers that change it.
class [[nodiscard]] error_ptr {
  public:
    explicit error_ptr(error why);  // throws std::bad_alloc, as a message without memory does
    error_ptr(const error_ptr& other);
    error_ptr(error_ptr&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
    error_ptr& operator=(error_ptr other) noexcept {
        std::swap(error_, other.error_);
        return *this;
    }
    ~error_ptr() {
        if (error_ != nullptr) free(error_);
    }

    // Moves the error out.
    operator error() && { return std::move(*error_); }  // NOLINT: implicit by design

    error& operator*() const { return *error_; }
    error* operator->() const { return error_; }
    bool empty() const { return error_ == nullptr; }  // moved from, or the result that holds it is not a failure

    // Adds a place: fail(...).at("trigger 0 (prometheus)").
    error_ptr&& at(place where) &&;
    error_ptr&& at(text_value thing) &&;

  private:
    template <class T>
    friend class result;
    error_ptr() = default;
    static void free(error* given) noexcept;

    error* error_ = nullptr;
};

// A status or a class, for fail().  With a class, status and retryable come from the table of status.hpp; with a status,
// usually_passes() decides whether the error is retryable.
class failure_kind {
  public:
    constexpr failure_kind(gputide::status code) : code_(static_cast<std::int32_t>(code)) {}   // NOLINT: implicit
    constexpr failure_kind(error_class kind) : code_(-1 - static_cast<std::int32_t>(kind)) {}  // NOLINT: implicit
    error without_message() const;

  private:
    std::int32_t code_;  // negative: a class
};

// Returns an error with that message.  The message is one line (plain_line).
//   fail(error_class::config, "threshold: expected a number, got {}", in_quotes(text))
[[gnu::cold]] error_ptr fail(failure_kind kind, text_value message);
[[gnu::cold]] error_ptr fail(failure_kind kind, text_pattern<1> pattern, text_value a);
[[gnu::cold]] error_ptr fail(failure_kind kind, text_pattern<2> pattern, text_value a, text_value b);
[[gnu::cold]] error_ptr fail(failure_kind kind, text_pattern<3> pattern, text_value a, text_value b, text_value c);
[[gnu::cold]] error_ptr fail(failure_kind kind, text_pattern<4> pattern, text_value a, text_value b, text_value c,
                             text_value d);
[[gnu::cold]] error_ptr fail(failure_kind kind, text_pattern<5> pattern, text_value a, text_value b, text_value c,
                             text_value d, text_value e);

// Adds a place to an error if its message has no values; for others see error_ptr::at().
[[gnu::cold]] error_ptr fail_at(failure_kind kind, place where, text_value message);
[[gnu::cold]] error_ptr fail_at(failure_kind kind, text_value thing, text_value message);

// Returns a configuration error that may pass without a change of the configuration, such as a file that may still appear.
[[gnu::cold]] error_ptr fail_for_now(text_value message);

// Returns the caller's next action: the action of the status, adjusted to `retryable`.  Returns retry and wait only if the
// error is retryable, and never none if it is.
action action_of(const error& why) noexcept;

// Returns class, place, wait and fields as JSON, as in gputide_error.detail: {"class":"...","line":3}; "" if all are empty.
std::string detail_json(const error& why);

}  // namespace gputide
