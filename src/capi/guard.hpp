// The wrapper around every entry: errors become statuses, exceptions become statuses, nothing is thrown across the door.
#pragma once

#include "base/result.hpp"
#include "gputide/gputide.h"

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace gputide::capi {

// Writes `from` to `to` (may be null) in the caller's size and returns its status.
gputide_status report(const error& from, gputide_error* to) noexcept;

// The same without allocating: for exhausted memory and for our own bugs.
gputide_status report_plain(status code, const char* message, gputide_error* to) noexcept;

// body() gives result<void>.
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

// The library-side view of (text, size): GPUTIDE_TEXT means NUL-terminated.
result<std::string_view> input_text(const char* text, std::int64_t size_bytes, const char* name);

// Guards the outputs and inputs that must not be NULL.
result<void> required(const void* argument, const char* name);

// Hands text to the caller in memory of the host's allocator; fails with no_memory.
result<void> give_text(std::string_view text, gputide_text* out);

}  // namespace gputide::capi
