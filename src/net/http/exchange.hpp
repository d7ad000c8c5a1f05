// Asynchronous work on a loop, and a few ways to compose it.
//
// An exchange belongs to the thread that drives its loop: it starts there, its callbacks run there, and it is canceled there, so
// it needs no lock.  Other threads use post() or http::wait, which forward start and cancel to the loop; the handle may be
// canceled on any thread.
//
//   operation<Value>   one result of several steps: carry() starts each step, finish() ends the operation
//   all<Value>         several exchanges in parallel, with their results together
//   send_with_retry    sends a request and repeats it if useful
//   post               starts work from any thread
#pragma once

#include "base/callback.hpp"
#include "http/loop.hpp"
#include "wire/errors.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::http {

// Dropping the pointer does not stop the work; cancel() does, and no callback runs afterwards.  Must be used on the loop's
// thread, except an exchange from post().
class exchange {
  public:
    exchange() = default;
    exchange(const exchange&) = delete;
    exchange& operator=(const exchange&) = delete;
    virtual ~exchange() = default;
    virtual void cancel() = 0;
};

// Starts work that delivers one Value later, once, never inside the call.
template <class Value>
using starter = callback<std::shared_ptr<exchange>(callback<void(Value)>)>;

// The part of an operation that does not depend on the type of its result: the step that it waits for.
class steps : public exchange, public std::enable_shared_from_this<steps> {
  public:
    steps(http::loop& runs_on, std::int64_t deadline_ms) : loop_(runs_on), deadline_ms_(deadline_ms) {}

    http::loop& loop() const { return loop_; }
    std::int64_t deadline_ms() const { return deadline_ms_; }  // steady clock
    bool over() const { return over_; }                        // finished or canceled

    // Starts the next step and drops the previous one.  Cancels the step immediately if the operation is over.
    void carry(std::shared_ptr<exchange> step);

    // Adds a step that only waits.
    void after(std::int64_t delay_ms, callback<void()> next);

  protected:
    // Ends the operation: cancels its step and timer.  Returns true for the first call.
    bool end(bool cancels_step);

  private:
    http::loop& loop_;
    const std::int64_t deadline_ms_;
    bool over_ = false;
    std::shared_ptr<exchange> step_;
    ticket timer_ = 0;
};

// An operation with one result.  The callbacks of the current step keep it alive.
template <class Value>
class operation : public steps {
  public:
    operation(http::loop& runs_on, std::int64_t deadline_ms, callback<void(Value)> done)
        : steps(runs_on, deadline_ms), done_(std::move(done)) {}

    void cancel() override {
        if (end(true)) done_ = nullptr;
    }

    // Delivers the result; only the first call has an effect.  `outcome` must not belong to the step, which is dropped first.
    void finish(Value&& outcome) {
        if (!end(false)) return;
        const auto done = std::exchange(done_, nullptr);
        done(std::move(outcome));
    }
    // Delivers the result after a delay, unless the operation is finished earlier.
    void finish_after(std::int64_t delay_ms, Value outcome) {
        after(delay_ms, [this, outcome = std::move(outcome)]() mutable { finish(std::move(outcome)); });
    }
    // Delivers the result in the loop's next turn: for use inside the call that started the operation.
    void finish_soon(Value outcome) { finish_after(0, std::move(outcome)); }

  private:
    callback<void(Value)> done_;  // empty: finished or canceled
};

// Several exchanges in parallel, with their results together; for all() below.
template <class Value>
class gathering final : public exchange {
  public:
    gathering(std::size_t count, callback<void(std::vector<Value>)> done)
        : outcomes_(count), missing_(count), done_(std::move(done)) {
        under_way_.reserve(count);  // carry() must not allocate after an exchange has started
    }

    void carry(std::shared_ptr<exchange> part) { under_way_.push_back(std::move(part)); }

    void cancel() override {
        const auto dropped = std::exchange(done_, nullptr);
        for (const auto& part : std::exchange(under_way_, {})) part->cancel();
    }

    void take(std::size_t index, Value&& outcome) {
        outcomes_[index] = std::move(outcome);
        if (--missing_ == 0) end();
    }

    void end() {
        const auto done = std::exchange(done_, nullptr);
        const auto ended = std::exchange(under_way_, {});
        if (!done) return;
        std::vector<Value> values;
        values.reserve(outcomes_.size());
        for (auto& outcome : outcomes_) values.push_back(*std::move(outcome));
        done(std::move(values));
    }

  private:
    std::vector<std::optional<Value>> outcomes_;
    std::vector<std::shared_ptr<exchange>> under_way_;
    std::size_t missing_;
    callback<void(std::vector<Value>)> done_;  // empty: finished or canceled
};

// Calls `done` with the results in the order of `parts`, after the last one has arrived.
template <class Value>
std::shared_ptr<exchange> all(loop& runs_on, const std::vector<starter<Value>>& parts,
                              callback<void(std::vector<Value>)> done) {
    const auto out = std::make_shared<gathering<Value>>(parts.size(), std::move(done));
    try {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            out->carry(parts[i]([out, i](Value&& outcome) { out->take(i, std::move(outcome)); }));
        }
    } catch (...) {
        out->cancel();
        throw;
    }
    if (parts.empty()) runs_on.after(0, [out] { out->end(); });
    return out;
}

// The handle of post(): the only exchange that may be canceled on any thread.
class posted final : public exchange, public std::enable_shared_from_this<posted> {
  public:
    explicit posted(loop& runs_on) : loop_(runs_on) {}

    // Without memory to forward the cancellation, the work continues to its end, but `done` does not run.
    void cancel() override;
    // Cancels immediately, without allocating: on the loop's thread, or on any thread if no thread drives the loop.
    void stop();

    bool over() const { return over_; }
    void begins_at(ticket turn) { turn_ = turn; }
    // The loop's thread only.
    void carry(std::shared_ptr<exchange> begun);
    bool end();  // true: not canceled

  private:
    loop& loop_;
    std::atomic<bool> over_{false};
    std::atomic<ticket> turn_{0};      // the turn in which it starts; 0: unknown
    std::shared_ptr<exchange> begun_;  // the loop's thread only
};

// Starts work on the loop's thread from any other thread.  After the handle is canceled, `start` does not begin.  The work calls
// end() of its handle when it has ended.
std::shared_ptr<posted> post_work(loop& runs_on,
                                  callback<std::shared_ptr<exchange>(const std::shared_ptr<posted>& handle)> start);

// Starts work that delivers a Value.  After the handle is canceled, `done` does not begin either.
template <class Value>
std::shared_ptr<posted> post(loop& runs_on, starter<Value> start, callback<void(Value)> done) {
    return post_work(runs_on,
                     [start = std::move(start), done = std::move(done)](const std::shared_ptr<posted>& handle) mutable {
                         return start([handle, done = std::move(done)](Value&& outcome) {
                             if (handle->end()) done(std::move(outcome));
                         });
                     });
}

// Repeats a request if that is safe and useful.  A rule says after which responses, after which delay, and how often.  Delays
// follow Azure's SDKs (azcore's formula).

struct retry_rule {
    std::int32_t max_retries = 3;  // after the first attempt
    std::int64_t base_ms = 800;    // delay before retry k: base × (2^k − 1) × jitter, jitter in [0.8, 1.3)
    std::int64_t cap_ms = 60'000;  // limit after the jitter
    std::function<bool(const answer&)> again;  // tells whether to repeat; default: again_by_status()
};

// Returns the rule for a single attempt.
retry_rule no_repeat();

// Tells whether to repeat: after temporary statuses (wire/errors.hpp) and the faults resolve, connect, reset and timeout; never
// after tls_verify.
bool again_by_status(const answer& reply);

// Returns the delay before retry 1, 2, ...; uniform in [0, 1) is the jitter.
std::int64_t computed_delay_ms(const retry_rule& rule, std::int32_t retry, double uniform);

// The last response and the number of attempts.  retry_at_ms: set if the server requests a longer wait than the rule or the
// deadline allows, otherwise 0.  past_deadline: a further attempt was due, but its delay would have passed the deadline.
struct retried {
    answer last;
    std::int32_t attempts = 0;
    std::int64_t retry_at_ms = 0;
    bool past_deadline = false;
};

std::shared_ptr<exchange> send_with_retry(loop& runs_on, outgoing request, retry_rule rule, std::int64_t deadline_ms,
                                          callback<void(retried)> done);

}  // namespace gputide::http
