// Turns an asynchronous call into a blocking one: starts it, drives the client until the call ends, the deadline passes or the
// caller cancels, and cleans up.
#pragma once

#include "base/callback.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "http/exchange.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace gputide::http {

// Extra time for an operation with the same deadline, which can report more precisely what was late.
inline constexpr std::int64_t last_words_ms = 100;

// Drives `client` until finished() is true.  A status other than ok tells why it is not.
status drive_until(client& client, function_ref<bool()> finished, std::int64_t deadline_ms, const cancel_flag* cancel);

// Drives `client` until everything posted so far, starts and cancellations, has run.
void run_posted(client& client);

// Runs work to its end.  start(ended) begins it on the loop's thread, must call ended() once, and returns the exchange to cancel.
// Objects that `start` and the work refer to need not outlive this call.  Fails if the deadline passes or the caller cancels
// before the end.
result<void> wait_for_end(client& client, callback<std::shared_ptr<exchange>(callback<void()>)> start,
                          std::int64_t deadline_ms, const cancel_flag* cancel);

// Runs an operation to its end, in the same way, and returns its value.
//   result<auth::token> got = flat(wait<result<auth::token>>(
//       client, [&](auto done) { return credential->acquire(client, scope, deadline_ms, std::move(done)); }, deadline_ms, &flag));
template <class Value>
result<Value> wait(client& client, starter<Value> start, std::int64_t deadline_ms, const cancel_flag* cancel) {
    const auto value = std::make_shared<std::optional<Value>>();
    auto over = wait_for_end(
        client,
        [value, start = std::move(start)](callback<void()> ended) {
            return start([value, ended = std::move(ended)](Value outcome) {
                value->emplace(std::move(outcome));
                ended();
            });
        },
        deadline_ms, cancel);
    if (!over) return over.take_failure();
    return *std::move(*value);
}

// Flattens a result inside a result.
template <class Value>
result<Value> flat(result<result<Value>> nested) {
    if (!nested) return nested.take_failure();
    return std::move(*nested);
}

}  // namespace gputide::http
