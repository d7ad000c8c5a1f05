// What may stand in an argument of gputide.h: each check names the argument and says what was expected.
#pragma once

#include "base/limits.hpp"
#include "base/result.hpp"
#include "capi/handle.hpp"
#include "gputide/gputide.h"
#include "http/client.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace gputide::capi {

// A text that may be NULL.
inline std::string_view text_or_empty(const char* text) noexcept {
    return text != nullptr ? std::string_view(text) : std::string_view();
}

error is_null(const char* name);
error of_another_process(const char* name);

// An output or a text that must not be NULL.
inline result<void> required(const void* argument, const char* name) {
    if (argument == nullptr) return is_null(name);
    return {};
}

// A handle that must be there, and of this process.
inline bool is_usable(const handle* argument) noexcept { return argument != nullptr && argument->is_here(); }
template <class T>
requires std::derived_from<T, handle> result<void> required(const T* argument, const char* name) {
    if (is_usable(argument)) return {};
    return argument == nullptr ? is_null(name) : of_another_process(name);
}

// A handle that may be NULL.
template <class T>
requires std::derived_from<T, handle> result<void> optional(const T* argument, const char* name) {
    if (argument != nullptr && !argument->is_here()) return of_another_process(name);
    return {};
}

// The library-side view of (text, size): GPUTIDE_TEXT means NUL-terminated.
result<std::string_view> input_text(const char* text, std::int64_t size_bytes, const char* name);

error is_no_time(std::int64_t unix_ms, const char* name);
error has_unknown_flag(const char* name);

// Milliseconds of January 1970 that read as a date in seconds, of September 2020 to March 2049.  The range is narrow, as a
// simulation may count from 0.
inline bool is_in_seconds(std::int64_t unix_ms) noexcept { return unix_ms >= 1'600'000'000 && unix_ms < 2'500'000'000; }

// In 1970 to 9999, and neither 0, which is no given time, nor in seconds.
inline bool is_time(std::int64_t unix_ms) noexcept {
    return unix_ms > 0 && unix_ms <= limits::latest_time_ms && !is_in_seconds(unix_ms);
}
inline result<void> check_time(std::int64_t unix_ms, const char* name) {
    if (is_time(unix_ms)) return {};
    return is_no_time(unix_ms, name);
}
// For a time that may be left out, or lie before 1970.
inline result<void> check_milliseconds(std::int64_t unix_ms, const char* name) {
    if (!is_in_seconds(unix_ms)) return {};
    return is_no_time(unix_ms, name);
}

// No bit beyond the known ones.
inline result<void> check_flags(std::uint32_t flags, std::uint32_t known, const char* name) {
    if ((flags & ~known) == 0) return {};
    return has_unknown_flag(name);
}

// What a call may do with its timeout_ms beside waiting for a while.
enum class waiting : std::uint32_t { bounded = 0, may_poll = 1, may_poll_or_last = 2 };
result<void> check_timeout(std::int32_t timeout_ms, waiting allowed = waiting::bounded);

// timeout_ms and cancel of a call that waits for `client`, checked.
struct patience {
    std::int64_t deadline_ms = 0;  // on the client's steady clock
    const http::cancel_flag* cancel = nullptr;
};
result<patience> read_patience(const http::client& client, std::int32_t timeout_ms, const gputide_cancel* cancel);

}  // namespace gputide::capi
