// The curl loop: one multi handle, connections shared by all requests, HTTP/2, gzip.  One thread handles thousands of transfers.
// The client has no thread of its own: waiting threads take turns at driving it, so blocking callers share its connections.
#pragma once

#include "base/callback.hpp"
#include "base/error.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace gputide::http {

// Ends a wait from another thread.  All copies share one flag.
class cancel_flag {
  public:
    cancel_flag();
    void fire();   // thread-safe; runs the callbacks before it returns, so they must not use this flag
    void reset();  // only if no thread waits on it
    bool fired() const;
    // Registers `wake`, which fire() calls; returns a key for forget().
    std::uint64_t on_fire(callback<void()> wake) const;
    void forget(std::uint64_t key) const;  // afterwards the callback is not running and will not run

  private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

// Calls `wake` if the cancel flag, which may be null, is fired during this object's lifetime.
class wake_on_cancel {
  public:
    wake_on_cancel(const cancel_flag* cancel, callback<void()> wake)
        : cancel_(cancel), key_(cancel != nullptr ? cancel->on_fire(std::move(wake)) : 0) {}
    ~wake_on_cancel() {
        if (cancel_ != nullptr) cancel_->forget(key_);
    }
    wake_on_cancel(const wake_on_cancel&) = delete;
    wake_on_cancel& operator=(const wake_on_cancel&) = delete;

  private:
    const cancel_flag* const cancel_;
    const std::uint64_t key_;
};

class client : public loop {
  public:
    static result<std::shared_ptr<client>> open();

    // Drives the loop, or waits while another thread does, until finished() is true or the steady clock passes until_ms.  Returns
    // finished().  finished() may be called on any waiting thread, after callbacks and wakes: it must be cheap and thread-safe
    // (such as reading an atomic) and must not call drive() or step().  Must not be called from a callback, because no thread
    // would be left to drive.  Throws std::bad_alloc if any callback meanwhile ran out of memory: it may be the one that this
    // caller waits for.
    virtual bool drive(function_ref<bool()> finished, std::int64_t until_ms) = 0;

    // Runs `act`, which must not throw, between two callbacks, and waits for its end.  Allocates nothing.  Must not be called
    // from a callback.
    virtual void run_between(function_ref<void()> act) = 0;

    // Drives until a callback has run, wake() is called or max_ms have passed; for a host or runtime that owns the thread.
    virtual void step(std::int64_t max_ms) = 0;
    virtual void wake() = 0;  // thread-safe: ends the wait of step() or drive()

    // Does all work that needs no waiting; for a host with its own event loop.  Returns the milliseconds until the next call (-1:
    // never) unless descriptor() becomes readable earlier, or nullopt if another thread drives.
    virtual std::optional<std::int64_t> look() = 0;
    virtual int descriptor() const = 0;

    // Drops everything in progress without running its callbacks; later requests are dropped too.  Callbacks own the objects that
    // they use, including this client: without close() the client would live as long as they wait.  Must not be called from a
    // callback.
    virtual void close() = 0;

    // Returns the milliseconds until the next timer or transfer is due; -1: nothing is in progress.
    virtual std::int64_t next_due_ms() const = 0;
};

// Blocking calls: each starts an asynchronous one, drives the client until it ends, the deadline passes or the caller cancels, and
// cleans up.

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
            return start([value, ended = std::move(ended)](Value&& outcome) {
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

// Detects a host that replaces a library that we depend on.  An executable that exports OpenSSL, nghttp2 or libcurl (Node exports
// the first two) receives the calls of every library loaded after it, including ours and libcurl's.  Two versions then share
// structures with different layouts: the process crashes, or TLS verifies nothing.

// Tells whether this is the self-contained build: libcurl and OpenSSL are linked into this library, and only this library calls
// them.
bool has_own_libraries();

// Returns nullopt if each TLS and HTTP call reaches the library that it was linked to, or if all of them are inside this library.
// Otherwise returns an error of class security that names the symbol, the file that defines it, and the remedy.  Only reads
// addresses, so it may run before any other call.  Thread-safe; the result is constant for the process.
const std::optional<error>& captured_library();

// Tells whether the linked libcurl has HTTP/2.  This call runs code of libcurl, OpenSSL and nghttp2, so a host must not have
// replaced them.
bool has_http2() noexcept;

}  // namespace gputide::http
