// Asynchronous work on a loop, and a few ways to compose it.
//
// An exchange belongs to the thread that drives its loop: it starts there, its callbacks run there, and it is canceled
// there.  So an exchange has no lock.  Another thread uses post() (or http::wait, which calls it); its handle may be
// canceled from anywhere: start and cancel are then forwarded to the loop.
//
//   operation<Value>   one outcome made of steps: each step is carry()ed, the last one calls finish()
//   all<Value>         several at once, their outcomes together
//   soon               a turn of the loop later
//   send_with_retry    (retry.hpp) a request, repeated where that helps
//   post               from any thread
#pragma once

#include "base/callback.hpp"
#include "http/loop.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::http {

// Dropping the pointer does not stop the work; cancel() does, and then no callback runs.  On the loop's thread, except
// for post()'s.
class exchange {
  public:
    exchange() = default;
    exchange(const exchange&) = delete;
    exchange& operator=(const exchange&) = delete;
    virtual ~exchange() = default;
    virtual void cancel() = 0;
};

// Starts work that delivers one Value, later and once, never inside the call.
template <class Value>
using starter = std::function<std::shared_ptr<exchange>(std::function<void(Value)>)>;

// The part of an operation that does not depend on its result type: what it waits for at present.
class steps : public exchange, public std::enable_shared_from_this<steps> {
  public:
    steps(http::loop& runs_on, std::int64_t deadline_ms) : loop_(runs_on), deadline_ms_(deadline_ms) {}

    http::loop& loop() const { return loop_; }
    std::int64_t deadline_ms() const { return deadline_ms_; }  // steady clock
    bool over() const { return over_; }                        // finished or canceled

    // Starts the next step and drops the previous one.  The step is canceled at once if the operation is over.
    void carry(std::shared_ptr<exchange> step);

    // Adds a step that only waits.
    void after(std::int64_t delay_ms, callback<void()> next);

  protected:
    // Returns true for the first call; nothing is waited for afterwards.
    bool end(bool cancels_step);

  private:
    http::loop& loop_;
    const std::int64_t deadline_ms_;
    bool over_ = false;
    std::shared_ptr<exchange> step_;
    ticket timer_ = 0;
};

// Steps with one result.  The callbacks of the current step keep it alive.
template <class Value>
class operation : public steps {
  public:
    operation(http::loop& runs_on, std::int64_t deadline_ms, callback<void(Value)> done)
        : steps(runs_on, deadline_ms), done_(std::move(done)) {}

    void cancel() override {
        if (end(true)) done_ = nullptr;
    }

    // Only the first call counts.
    void finish(Value outcome) {
        if (!end(false)) return;
        const auto done = std::exchange(done_, nullptr);
        done(std::move(outcome));
    }
    // Finishes with this result at the deadline, unless it is finished before.
    void finish_after(std::int64_t delay_ms, Value outcome) {
        after(delay_ms, [this, outcome = std::move(outcome)]() mutable { finish(std::move(outcome)); });
    }
    // Finishes in the loop's next turn: for use inside the call that started it.
    void finish_soon(Value outcome) { finish_after(0, std::move(outcome)); }

  private:
    callback<void(Value)> done_;  // empty: over
};

// Several exchanges in parallel, with their results together; for all() below.
template <class Value>
class gathering final : public exchange {
  public:
    gathering(std::size_t count, callback<void(std::vector<Value>)> done)
        : outcomes_(count), missing_(count), done_(std::move(done)) {
        under_way_.reserve(count);  // started exchanges must fit without an allocation
    }

    void carry(std::shared_ptr<exchange> part) { under_way_.push_back(std::move(part)); }

    void cancel() override {
        const auto dropped = std::exchange(done_, nullptr);
        for (const auto& part : std::exchange(under_way_, {})) part->cancel();
    }

    void take(std::size_t index, Value outcome) {
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
    callback<void(std::vector<Value>)> done_;  // empty: over
};

// Calls `done` with the results in the order of `parts`, once the last one has arrived.
template <class Value>
std::shared_ptr<exchange> all(loop& runs_on, const std::vector<starter<Value>>& parts,
                              callback<void(std::vector<Value>)> done) {
    const auto out = std::make_shared<gathering<Value>>(parts.size(), std::move(done));
    try {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            out->carry(parts[i]([out, i](Value outcome) { out->take(i, std::move(outcome)); }));
        }
    } catch (...) {
        out->cancel();
        throw;
    }
    if (parts.empty()) runs_on.after(0, [out] { out->end(); });
    return out;
}

// Runs `next` once, in the loop's next turn.
std::shared_ptr<exchange> soon(loop& runs_on, callback<void()> next);

// The handle of post(): the only exchange that may be canceled from any thread.
class posted final : public exchange, public std::enable_shared_from_this<posted> {
  public:
    explicit posted(loop& runs_on) : loop_(runs_on) {}

    // If there is no memory to post it, the work continues to its end, and `done` does not run.
    void cancel() override;
    // Cancels at once, without allocating: on the loop's thread, or on any once no thread drives the loop.
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

// Starts work on the loop's thread from any other thread.  After the handle is canceled, neither `start` nor `done`
// begins.
template <class Value>
std::shared_ptr<posted> post(loop& runs_on, starter<Value> start, std::function<void(Value)> done) {
    auto out = std::make_shared<posted>(runs_on);
    out->begins_at(runs_on.after(0, [out, start = std::move(start), done = std::move(done)] {
        if (out->over()) return;
        out->carry(start([out, done](Value outcome) {
            if (out->end()) done(std::move(outcome));
        }));
    }));
    return out;
}

}  // namespace gputide::http
