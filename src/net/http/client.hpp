// The curl loop: one multi handle, connections shared by all requests, HTTP/2, gzip.  Thousands of transfers from one
// thread; no thread of its own.  Threads that wait take turns at driving it, so blocking callers share its connections.
#pragma once

#include "base/result.hpp"
#include "http/loop.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace gputide::http {

// Ends a wait from another thread.  All copies share one flag.
class cancel_flag {
  public:
    cancel_flag();
    void fire();   // any thread; runs the callbacks before it returns, so they must not call this flag
    void reset();  // only if no thread waits on it
    bool fired() const;
    // Registers `wake` for the time the flag is fired; returns a key for forget().
    std::uint64_t on_fire(std::function<void()> wake) const;
    void forget(std::uint64_t key) const;  // after it, the callback neither runs nor is running

  private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

// Calls `wake` if the cancel flag, which may be null, is fired during this object's lifetime.
class wake_on_cancel {
  public:
    wake_on_cancel(const cancel_flag* cancel, std::function<void()> wake)
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

struct client_options {
    std::string ca_file;               // default for every request without its own CA
    std::int32_t max_connections = 0;  // 0: no limit
    std::int32_t max_per_host = 0;
};

class client final : public loop {
  public:
    static result<std::shared_ptr<client>> open(const client_options& options);
    ~client() override;

    ticket send(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) override;
    ticket after(std::int64_t delay_ms, callback<void()> fire) override;
    void cancel(ticket id) override;
    ticket reserve() override;
    std::int64_t steady_ms() const override;
    std::int64_t wall_ms() const override;
    double uniform() override;

    // Drives the loop, or waits while another thread does, until finished() is true or the steady clock passes
    // until_ms.  finished() may be called on any waiting thread, after callbacks and wakes: it must be cheap and
    // thread-safe (an atomic, say) and must not call drive or step.  Returns finished().  Never from a callback, as no
    // thread would be left to drive.  Throws std::bad_alloc if any callback found no memory meanwhile: it may have been
    // the awaited one.
    bool drive(const std::function<bool()>& finished, std::int64_t until_ms);

    // Runs `act`, which must not throw, between two callbacks, and waits for its end.  Allocates nothing.  Never from a
    // callback.
    void run_between(const std::function<void()>& act);

    // Drives until a callback has run, wake() was called or max_ms are over; for a host or a runtime that owns the
    // thread.
    void step(std::int64_t max_ms);
    void wake();  // any thread: ends a step or drive's wait early

    // Does what can be done now, without waiting; for a host with its own event loop.  Returns the milliseconds until
    // the next call (-1: never) unless descriptor() becomes readable before; nothing if another thread drives.
    std::optional<std::int64_t> look();
    int descriptor() const;

    // Drops everything in progress with its callbacks, none of which runs; later requests are dropped too.  Callbacks
    // own what they work with, this client included: without close() the client would live as long as they wait.  Never
    // from a callback.
    void close();

    // Returns the milliseconds until the next timer or transfer is due; -1: nothing is in progress.
    std::int64_t next_due_ms() const;

  private:
    client();
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace gputide::http
