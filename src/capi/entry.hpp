// Shared by all functions of the C API: checks of arguments, errors and exceptions as statuses, texts and handles for the caller.
#pragma once

#include "base/function_ref.hpp"
#include "base/limits.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "gputide/gputide.h"
#include "http/client.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gputide::capi {

// Base of every opaque handle: it belongs to the process that created it.
struct handle {
    std::uint64_t process = current_process();

    bool is_of_this_process() const noexcept { return process == current_process(); }
};

// Creates the handle that an _open or _new function returns.
template <class T, class... Parts>
T* make_handle(Parts&&... parts) {
    return std::make_unique<T>(T{{}, std::forward<Parts>(parts)...}).release();
}

// Frees a handle, for every _free function.  Ignores NULL and handles of the parent process: their threads, locks and
// connections do not exist in a child.
template <class T>
void end(T* handle) noexcept {
    if (handle != nullptr && handle->is_of_this_process()) delete handle;
}

// Returns whether a constant of the headers has the number of its C++ counterpart, for static_assert.
template <class Enum>
constexpr bool same(std::int64_t c, Enum cpp) {
    return c == static_cast<std::int64_t>(cpp);
}

// Returns a text, which may be NULL, as a view.
inline std::string_view text_or_empty(const char* text) noexcept {
    return text != nullptr ? std::string_view(text) : std::string_view();
}

// An argument that a function needs: an output or a text that must not be NULL, or a handle that must also belong to this process.
class argument {
  public:
    argument(const void* given, const char* name) : given_(given), name_(name) {}
    template <std::derived_from<handle> Handle>
    argument(const Handle* given, const char* name)
        : given_(static_cast<const handle*>(given)), name_(name), is_handle_(true) {}

    result<void> check() const;

  private:
    const void* given_;
    const char* name_;
    bool is_handle_ = false;
};

// Checks arguments in their order.
using arguments = std::initializer_list<argument>;
result<void> required(arguments needed);

// Checks a handle that may be NULL.
result<void> optional(const handle* given, const char* name);

inline bool is_usable(const handle* given) noexcept { return given != nullptr && given->is_of_this_process(); }

// Returns the view of (text, size); GPUTIDE_TEXT means NUL-terminated.
result<std::string_view> input_text(const char* text, std::int64_t size_bytes, const char* name);
// Returns the same, and "" for a NULL with any size.
result<std::string_view> optional_text(const char* text, std::int64_t size_bytes, const char* name);

error is_no_time(std::int64_t unix_ms, const char* name);
error has_unknown_flag(const char* name);

// Tells whether milliseconds look like seconds from September 2020 to March 2049.  The range is narrow, because a simulation
// may count time from 0.
inline bool is_in_seconds(std::int64_t unix_ms) noexcept { return unix_ms >= 1'600'000'000 && unix_ms < 2'500'000'000; }

// Returns whether a time lies in 1970 to 9999, is not 0 (not given) and is not in seconds.
inline bool is_time(std::int64_t unix_ms) noexcept {
    return unix_ms > 0 && unix_ms <= limits::latest_time_ms && !is_in_seconds(unix_ms);
}
inline result<void> check_time(std::int64_t unix_ms, const char* name) {
    if (is_time(unix_ms)) return {};
    return is_no_time(unix_ms, name);
}
// Checks a time that may also be 0 or before 1970.
inline result<void> check_milliseconds(std::int64_t unix_ms, const char* name) {
    if (!is_in_seconds(unix_ms)) return {};
    return is_no_time(unix_ms, name);
}

// Returns the index of a metric that the caller passed.
result<std::size_t> read_metric(std::int32_t metric);

// Rejects unknown flag bits.
inline result<void> check_flags(std::uint32_t flags, std::uint32_t known, const char* name) {
    if ((flags & ~known) == 0) return {};
    return has_unknown_flag(name);
}

// The special values of timeout_ms that a function allows.
enum class waiting : std::uint32_t { bounded = 0, may_poll = 1, may_poll_or_last = 2 };
result<void> check_timeout(std::int32_t timeout_ms, waiting allowed = waiting::bounded);

// The checked timeout_ms and cancel of a call that waits for `client`.
struct time_limit {
    std::int64_t deadline_ms = 0;  // on the client's steady clock
    const http::cancel_flag* cancel = nullptr;
};
result<time_limit> read_time_limit(const http::client& client, std::int32_t timeout_ms, const gputide_cancel* cancel);

// Writes `failure` to `err` (may be null) in the caller's size and returns its status.
gputide_status report(const error& failure, gputide_error* err) noexcept;

// Does the same without allocating: for exhausted memory and bugs of the library.
gputide_status report_plain(status code, const char* message, gputide_error* err) noexcept;

// Calls body; returns its status and writes its error.  Nothing is thrown.  Compiled into the caller: for the functions that a
// host calls on every tick and that make no I/O.
template <class Body>
gputide_status guarded(gputide_error* err, Body&& body) noexcept {
    try {
        result<void> done = std::forward<Body>(body)();
        return done ? GPUTIDE_OK : report(done.failure(), err);
    } catch (const std::bad_alloc&) {
        return report_plain(status::no_memory, "out of memory", err);
    } catch (const std::exception& thrown) {
        return report_plain(status::bug, thrown.what(), err);
    } catch (...) {
        return report_plain(status::bug, "an exception of unknown type", err);
    }
}

// Does the same after a check of the arguments, for all other functions.  Compiled once.
gputide_status guarded(gputide_error* err, arguments needed, function_ref<result<void>()> body) noexcept;

// Replaces the content of `out` by a copy of `text` in memory of the allocator (gputide_set_allocator); out may be NULL.
// Fails with no_memory and then leaves `out` unchanged.
result<void> give_text(std::string_view text, gputide_text* out);
// Gives the text, or returns the failure.
result<void> give_text_of(const result<std::string>& text, gputide_text* out);

// Texts that a call returns together: either all of them or none.
class texts_to_give {
  public:
    texts_to_give() = default;
    texts_to_give(const texts_to_give&) = delete;
    texts_to_give& operator=(const texts_to_give&) = delete;
    ~texts_to_give();

    // Allocates the copy; out may be NULL.
    result<void> prepare(std::string_view text, gputide_text* out);
    void give() noexcept;  // cannot fail

  private:
    struct pending_text {
        gputide_text* out = nullptr;
        gputide_text ready{nullptr, 0};
    };
    pending_text all_[2];
    std::size_t count_ = 0;
};

// Returns both texts or none: a report as JSON, and its lines for people. lines may be NULL.
result<void> give_report(std::string_view json, std::string_view text, gputide_text* report, gputide_text* lines);

}  // namespace gputide::capi
