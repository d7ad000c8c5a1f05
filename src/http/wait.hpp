// Makes a blocking call of an asynchronous one: starts it, drives the client until it is done, the deadline has passed or
// the caller cancelled, and cleans up after it.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"
#include "http/retry.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace gputide::http {

// An operation has the deadline too and knows better what was late: it gets this much longer to say so.
inline constexpr std::int64_t last_words_ms = 100;

// Drives `on` until finished() holds; a status other than ok tells why it does not.
status drive_until(client& on, const std::function<bool()>& finished, std::int64_t deadline_ms,
                   const cancel_flag* cancel);

// start(done) begins the operation, which calls done(Value) once, and gives the exchange to cancel:
//   result<auth::token> got = flat(wait<result<auth::token>>(on, [&](auto done) { return from.acquire(on, scope, deadline, done); },
//                                                            deadline, &flag));
template <class Value, class Start>
result<Value> wait(client& on, Start&& start, std::int64_t deadline_ms, const cancel_flag* cancel) {
    struct slot {
        std::atomic<bool> full{false};
        std::optional<Value> value;
    };
    const auto here = std::make_shared<slot>();  // shared: a late callback may still come while this returns
    const std::function<void(Value)> done = [here](Value got) {
        here->value.emplace(std::move(got));
        here->full.store(true, std::memory_order_release);
    };
    const std::shared_ptr<exchange> under_way = std::forward<Start>(start)(done);
    const status why = drive_until(
        on, [here] { return here->full.load(std::memory_order_acquire); }, deadline_ms, cancel);
    if (why == status::ok) return std::move(*here->value);
    if (under_way) under_way->cancel();
    if (why == status::cancelled) return fail(why, "cancelled by the caller");
    return fail(why, "the deadline passed before there was an answer; allow more time or check the peer");
}

// A result inside a result, as one.
template <class Value>
result<Value> flat(result<result<Value>> nested) {
    if (!nested) return std::move(nested.failure());
    return std::move(*nested);
}

}  // namespace gputide::http
