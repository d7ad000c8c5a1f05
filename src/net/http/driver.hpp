// The multi handle with its transfers and timers.  Any thread may call send, after, cancel and wake.  One thread at a time drives
// (work, wait, work_at_once, drop_all) and runs every callback. client.cpp chooses that thread and gives it a `lead`, which is required to access
// the multi handle. driver.cpp has the thread-safe calls and the transfers that wait for a name lookup, work.cpp the calls of the
// driving thread.
// Without memory: calls that add something throw std::bad_alloc and change nothing; calls that end something allocate nothing.
// Exceptions from a callback leave work(); its next call continues with the rest.
#pragma once

#include "http/client.hpp"
#include "http/libcurl.hpp"
#include "http/resolver.hpp"
#include "http/transfer/transfer.hpp"

#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gputide::http {

// Proof that the calling thread drives the client.  State of the driving thread is accessible only with a lead.  Only client.cpp
// creates one, for as long as its thread drives.
class lead {
  public:
    lead(const lead&) = delete;
    lead& operator=(const lead&) = delete;

  private:
    friend class led_client;
    lead() = default;
};

// A value of the driving thread.  Other threads get a const reference, so the const functions of Value must be thread-safe.
template <class Value>
class driven {
  public:
    template <class... Arguments>
    explicit driven(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}

    Value& with(const lead& /*proof*/) { return value_; }
    const Value& shared() const { return value_; }

  private:
    Value value_;
};

class driver : public client {
  public:
    explicit driver(trust_defaults trust);  // drop_all() must be called before destruction

    // Thread-safe.
    ticket send(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) override;
    ticket after(std::int64_t delay_ms, callback<void()> fire) override;
    void cancel(ticket id) override;
    ticket reserve() override;
    void wake() override;  // ends the current wait, or the next one, immediately
    std::int64_t next_due_ms() const override;
    int descriptor() const override { return own_.shared().curl.descriptor(); }

    // The driving thread only.
    bool work(const lead& lead);  // does all work that needs no waiting; true: a callback ran
    // Waits for the network, a timer, a wake or new work.  True: wake() ended the wait.
    bool wait(const lead& lead, std::int64_t max_ms);
    // Does all work that needs no waiting, for a caller that waits on descriptor() itself.  Returns the milliseconds until the
    // next call; -1: not before the descriptor is readable.
    std::int64_t work_at_once(const lead& lead);
    void drop_all(const lead& lead);  // see client::close()

  private:
    struct pending final : resolver::waiter {
        pending(driver& driver, outgoing request, url_parts url)
            : of(driver), way(std::move(request), std::move(url)) {}
        void resolved(std::shared_ptr<const std::string> found) noexcept override {
            of.name_came(*this, std::move(found));
        }
        driver& of;
        transfer way;
        callback<void(answer)> done;
        std::optional<answer> early;  // result that is known before anything is sent
        ticket id = 0;
        std::int64_t due_ms = 0;
        std::int64_t began_ms = 0;  // steady clock
        time_limit limit = time_limit::attempt;
        bool started = false;               // from here on, only the driving thread ends it
        bool cancelled = false;             // and in cancelled_ until it ends
        pending* next_cancelled = nullptr;  // the next in that list

        // During a name lookup the transfer is outside the multi handle, and due_ms may be the end of the connect timeout.
        bool waits_for_name = false;  // the driving thread only
        std::int64_t end_ms = 0;      // the previous due_ms and limit
        time_limit end_limit = time_limit::attempt;
        std::shared_ptr<const std::string> addresses;  // as passed to resolved()
        pending* next_named = nullptr;                 // the next in named_
    };
    struct timer {
        std::int64_t due_ms = 0;
        callback<void()> fire;
    };

    // State of the driving thread only.
    struct drivers_own {
        explicit drivers_own(trust_defaults trust);
        multi curl;
        easy_pool pool;
        std::vector<ticket> beginning;   // taken from new_
        std::size_t begun = 0;           // number of entries of `beginning` that are started
        std::size_t nameless = 0;        // transfers that wait for a name lookup
        std::int64_t names_due_ms = -1;  // steady clock, next call of the resolver; -1: never
    };

    bool begin_new(drivers_own& own);
    bool begin(drivers_own& own, pending& request);
    void stop_cancelled(drivers_own& own);
    bool reap(drivers_own& own);
    bool give_up_started(drivers_own& own);
    bool fire_due(drivers_own& own);
    void finish(drivers_own& own, pending& request, answer reply);
    std::unique_ptr<pending> forget(pending& request);
    void wake_locked();

    bool want_name(drivers_own& own, pending& request, CURLcode code);
    bool take_names(drivers_own& own);
    std::optional<answer> take_name(drivers_own& own, pending& request);
    void look_at_names(drivers_own& own);
    void name_came(pending& request,
                   std::shared_ptr<const std::string> found) noexcept;  // on a resolver's thread or this one
    void leave_name(drivers_own& own, pending& request);
    void set_due(pending& request, std::int64_t due_ms, time_limit limit);

    const std::shared_ptr<resolver> names_ = shared_resolver();  // never called with mutex_ held
    driven<drivers_own> own_;

    mutable std::mutex mutex_;  // guards everything below; never held during a callback or a call of libcurl
    std::unordered_map<ticket, std::unique_ptr<pending>> transfers_;
    std::unordered_map<ticket, timer> timers_;
    std::set<std::pair<std::int64_t, ticket>> due_;  // due times of timers and transfers
    std::vector<ticket> new_;
    pending* cancelled_ = nullptr;  // the first in the list
    pending* named_ = nullptr;      // the first transfer with a finished lookup
    ticket last_ = 0;
    bool woken_ = false;
    bool waiting_ = false;  // inside multi::wait(), or about to enter it
    bool closed_ = false;   // new requests are dropped
};

}  // namespace gputide::http
