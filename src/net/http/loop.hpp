// Runs transfers and timers. auth/ and source/ access network and clock only through this class: the curl client (client.hpp) in
// a program, a scripted loop in tests.
//
// No call blocks. send, after and cancel are thread-safe.  Callbacks run on the thread that drives the loop, one at a time, never
// inside the call that registered them.
#pragma once

#include "base/callback.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace gputide::http {

using ticket = std::uint64_t;  // never 0

class loop {
  public:
    loop() = default;
    loop(const loop&) = delete;
    loop& operator=(const loop&) = delete;
    virtual ~loop() = default;

    // Sends the request and calls `done` once, unless canceled.  deadline_ms is on the steady clock; after it the result is
    // fault::deadline.
    virtual ticket send(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) = 0;

    virtual ticket after(std::int64_t delay_ms, callback<void()> fire) = 0;

    // Cancels: the callback will not run (unless it is running at this moment on another thread).  Unknown tickets are ignored.
    virtual void cancel(ticket id) = 0;

    // Returns a ticket that this loop never uses itself, for middleware that issues its own.
    virtual ticket reserve() = 0;

    virtual std::int64_t steady_ms() const = 0;  // monotonic; includes suspend if the system supports it
    virtual std::int64_t wall_ms() const = 0;    // Unix milliseconds
    virtual double uniform() = 0;                // [0, 1), for jitter
};

// Base of middleware: a loop in front of another loop.  It decides about requests.  Time, timers and tickets come from the inner
// loop, so that middleware recognizes its own tickets and forwards all others.

class relay : public loop {
  public:
    explicit relay(std::shared_ptr<loop> behind) : behind_(std::move(behind)) {}

    ticket after(std::int64_t delay_ms, callback<void()> fire) override {
        return behind_->after(delay_ms, std::move(fire));
    }
    void cancel(ticket id) override { behind_->cancel(id); }
    ticket reserve() override { return behind_->reserve(); }
    std::int64_t steady_ms() const override { return behind_->steady_ms(); }
    std::int64_t wall_ms() const override { return behind_->wall_ms(); }
    double uniform() override { return behind_->uniform(); }

  protected:
    const std::shared_ptr<loop> behind_;
};

// Counts failed allocations that were handled by a retry, which no other counter shows.

// Thread-safe.
void note_failed_allocation() noexcept;
std::uint64_t failed_allocations() noexcept;

}  // namespace gputide::http
