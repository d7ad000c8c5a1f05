// The wrapper around every entry: errors become statuses, exceptions become statuses, nothing is thrown across the door.
#pragma once

#include "base/result.hpp"
#include "capi/arguments.hpp"
#include "gputide/gputide.h"

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace gputide::capi {

// Writes `failure` to `err` (may be null) in the caller's size and returns its status.
gputide_status report(const error& failure, gputide_error* err) noexcept;

// The same without allocating: for exhausted memory and for our own bugs.
gputide_status report_plain(status code, const char* message, gputide_error* err) noexcept;

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

// Hands text to the caller in memory of the host's allocator, in place of what `out` held; NULL: nobody wants it.  Fails with
// no_memory, and `out` is then as before.
result<void> give_text(std::string_view text, gputide_text* out);

// Texts that a call hands over together: all of them or none.
class texts_to_give {
  public:
    texts_to_give() = default;
    texts_to_give(const texts_to_give&) = delete;
    texts_to_give& operator=(const texts_to_give&) = delete;
    ~texts_to_give();

    // Takes the memory; out may be NULL.
    result<void> prepare(std::string_view text, gputide_text* out);
    void give() noexcept;  // cannot fail

  private:
    struct one {
        gputide_text* out = nullptr;
        gputide_text ready{nullptr, 0};
    };
    one all_[2];
    std::size_t count_ = 0;
};

}  // namespace gputide::capi
