// Work under way on a loop, and the few ways to put it together.
//
// An exchange lives on the thread that drives its loop: it is started there, its callbacks run there, and it is cancelled
// there.  So no exchange has a lock.  Who stands on another thread goes through post() (or http::wait, which does), whose
// handle may be cancelled from anywhere: start and cancel then travel to the loop.
//
//   operation<Value>   one outcome made of steps: each step is carry()ed, the last one calls finish()
//   all<Value>         several at once, their outcomes together
//   soon               a turn of the loop later
//   send_with_retry    (retry.hpp) a request, repeated where that helps
//   post               from any thread
#pragma once

#include "http/loop.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::http {

// Dropping the pointer does not stop it; cancel() does, and nobody is told then.  On the loop's thread, but for post()'s.
class exchange {
  public:
    exchange() = default;
    exchange(const exchange&) = delete;
    exchange& operator=(const exchange&) = delete;
    virtual ~exchange() = default;
    virtual void cancel() = 0;
};

// Begins something that tells one Value, later and once, never inside the call.
template <class Value>
using starter = std::function<std::shared_ptr<exchange>(std::function<void(Value)>)>;

// The part of an operation that does not depend on its outcome: what it waits for at present.
class steps : public exchange, public std::enable_shared_from_this<steps> {
  public:
    steps(http::loop& runs_on, std::int64_t deadline_ms) : loop_(runs_on), deadline_ms_(deadline_ms) {}

    http::loop& loop() const { return loop_; }
    std::int64_t deadline_ms() const { return deadline_ms_; }  // steady clock
    bool over() const { return over_; }                        // finished or cancelled

    // The next step; it takes the place of the one before.  Stopped at once where all is over.
    void carry(std::shared_ptr<exchange> step);

    // A step that is nothing but waiting.
    void after(std::int64_t delay_ms, std::function<void()> next);

  protected:
    // True for the first call: nothing is waited for any more.
    bool end(bool cancels_step);

  private:
    http::loop& loop_;
    const std::int64_t deadline_ms_;
    bool over_ = false;
    std::shared_ptr<exchange> step_;
    ticket timer_ = 0;
};

// Steps with one outcome.  Held alive by the callbacks of the step that is under way.
template <class Value>
class operation : public steps {
  public:
    operation(http::loop& runs_on, std::int64_t deadline_ms, std::function<void(Value)> done)
        : steps(runs_on, deadline_ms), done_(std::move(done)) {}

    void cancel() override {
        if (end(true)) done_ = nullptr;
    }

    // Only the first one counts.
    void finish(Value outcome) {
        if (!end(false)) return;
        const auto done = std::exchange(done_, nullptr);
        done(std::move(outcome));
    }
    // Unless it is finished otherwise by then: a deadline, with its answer ready.
    void finish_after(std::int64_t delay_ms, Value outcome) {
        after(delay_ms, [this, outcome = std::make_shared<Value>(std::move(outcome))] { finish(std::move(*outcome)); });
    }
    // In the loop's next turn: from within the call that started it.
    void finish_soon(Value outcome) { finish_after(0, std::move(outcome)); }

  private:
    std::function<void(Value)> done_;  // empty: over
};

// Several side by side, as one; for all() below.
template <class Value>
class gathering final : public exchange {
  public:
    gathering(std::size_t count, std::function<void(std::vector<Value>)> done)
        : outcomes_(count), missing_(count), done_(std::move(done)) {
        under_way_.reserve(count);  // what has begun finds its place
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
        for (auto& one : outcomes_) values.push_back(*std::move(one));
        done(std::move(values));
    }

  private:
    std::vector<std::optional<Value>> outcomes_;
    std::vector<std::shared_ptr<exchange>> under_way_;
    std::size_t missing_;
    std::function<void(std::vector<Value>)> done_;  // empty: over
};

// `done` gets the outcomes in the order of `parts`, when the last one is there.
template <class Value>
std::shared_ptr<exchange> all(loop& runs_on, const std::vector<starter<Value>>& parts,
                              std::function<void(std::vector<Value>)> done) {
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
std::shared_ptr<exchange> soon(loop& runs_on, std::function<void()> next);

// post()'s handle: the one exchange that may be cancelled from any thread.
class posted final : public exchange, public std::enable_shared_from_this<posted> {
  public:
    explicit posted(loop& runs_on) : loop_(runs_on) {}

    // Where there is no memory to post it, what was begun goes on to its end, and `done` does not run.
    void cancel() override;
    // cancel() at once, which needs no memory: the loop's thread, or any once nobody drives the loop any more.
    void stop();

    bool over() const { return over_; }
    void begins_at(ticket turn) { turn_ = turn; }
    // The loop's thread.
    void carry(std::shared_ptr<exchange> begun);
    bool end();  // true: nobody has cancelled it

  private:
    loop& loop_;
    std::atomic<bool> over_{false};
    std::atomic<ticket> turn_{0};      // that it begins in; 0: not known yet
    std::shared_ptr<exchange> begun_;  // the loop's thread alone
};

// Starts something on the loop's thread, from any other.  Once the handle is cancelled, neither `start` nor `done` begins.
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
