// Turns an asynchronous call into a blocking one: starts it, drives the client until the call ends, the deadline passes or the
// caller cancels, and cleans up.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"
#include "http/exchange.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace gputide::http {

// Extra time for an operation with the same deadline, which can report more precisely what was late.
inline constexpr std::int64_t last_words_ms = 100;

// Drives `client` until finished() is true.  A status other than ok tells why it is not.
status drive_until(client& client, const std::function<bool()>& finished, std::int64_t deadline_ms,
                   const cancel_flag* cancel);

// Drives `client` until everything posted so far, starts and cancellations, has run.
void run_posted(client& client);

// Cancels the posted work and waits until that is done: afterwards none of it runs.  Allocates nothing.
void stop(client& client, posted& under_way);

// Runs an operation to its end.  start(done) begins it on the loop's thread, must call done(Value) once, and returns the exchange
// to cancel.  Objects that `start` and the operation refer to need not outlive this call.
//   result<auth::token> got = flat(wait<result<auth::token>>(
//       client, [&](auto done) { return credential->acquire(client, scope, deadline_ms, done); }, deadline_ms, &flag));
template <class Value>
result<Value> wait(client& client, starter<Value> start, std::int64_t deadline_ms, const cancel_flag* cancel) {
    struct slot {
        std::atomic<bool> full{false};
        std::optional<Value> value;
        std::exception_ptr thrown;  // thrown by `start`, possibly on another waiting thread
    };
    const auto here = std::make_shared<slot>();
    const std::function<bool()> finished = [here] { return here->full.load(std::memory_order_acquire); };
    const auto under_way = post<Value>(
        client,
        [here, start = std::move(start)](std::function<void(Value)> done) -> std::shared_ptr<exchange> {
            try {
                return start(std::move(done));
            } catch (...) {
                here->thrown = std::current_exception();
                here->full.store(true, std::memory_order_release);
                return nullptr;
            }
        },
        [here](Value outcome) {
            here->value.emplace(std::move(outcome));
            here->full.store(true, std::memory_order_release);
        });
    status why = status::no_memory;
    try {
        why = drive_until(client, finished, deadline_ms, cancel);
    } catch (...) {
        stop(client, *under_way);
        throw;
    }
    if (why == status::ok && here->thrown) std::rethrow_exception(here->thrown);
    if (why == status::ok) return std::move(*here->value);
    stop(client, *under_way);
    if (why == status::cancelled) return fail(why, "canceled by the caller");
    return fail(why, "the deadline passed before there was an answer; allow more time or check the peer");
}

// Flattens a result inside a result.
template <class Value>
result<Value> flat(result<result<Value>> nested) {
    if (!nested) return nested.take_failure();
    return std::move(*nested);
}

}  // namespace gputide::http
