// The multi handle with its transfers and timers.  Any thread asks (send, after, cancel, wake); one thread at a time
// drives (work, wait, look), which is where every callback runs.  client.cpp decides which thread that is and gives it the lead,
// without which nothing here reaches the multi handle.  driver.cpp has what any thread asks, work.cpp what the driving one does,
// names.cpp the transfers whose host is being looked up.
// Without memory: what asks for more throws std::bad_alloc and has changed nothing; what ends something needs none.  What a
// callback throws comes out of work(), which goes on with the rest when it is called again.
#pragma once

#include "http/client.hpp"
#include "http/lead.hpp"
#include "http/multi.hpp"
#include "http/resolver.hpp"
#include "http/transfer/transfer.hpp"

#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gputide::http {

class driver {
  public:
    driver(const client_options& options, trust_defaults trust);  // must be closed before it is destroyed
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;

    // Any thread.
    ticket send(outgoing request, std::int64_t deadline_ms, std::function<void(answer)> done);
    ticket after(std::int64_t delay_ms, std::function<void()> fire);
    void cancel(ticket id);
    ticket reserve();
    void wake();  // the wait under way, or the next one, ends at once
    std::int64_t next_due_ms() const;
    int descriptor() const { return own_.shared().curl.descriptor(); }

    // The driving thread.
    bool work(const lead& lead);  // all that can be done now; true: a callback ran
    // For the network, a timer, a wake or new work.  True: wake() ended it.
    bool wait(const lead& lead, std::int64_t most_ms);
    // For a caller that waits on descriptor() itself: all that can be done now, then the milliseconds until the next look; -1:
    // not before the descriptor is readable.
    std::int64_t look(const lead& lead);
    void close(const lead& lead);  // see client::close()

  private:
    struct pending final : resolver::waiter {
        pending(driver& driver, outgoing request, url_parts url)
            : of(driver), way(std::move(request), std::move(url)) {}
        void resolved(std::shared_ptr<const std::string> found) noexcept override {
            of.name_came(*this, std::move(found));
        }
        driver& of;
        transfer way;
        std::function<void(answer)> done;
        std::optional<answer> early;  // known without a byte sent
        ticket id = 0;
        std::int64_t due_ms = 0;
        std::int64_t began_ms = 0;  // steady: when it was started
        time_limit limit = time_limit::attempt;
        bool started = false;               // from here on, only the driving thread ends it
        bool cancelled = false;             // and in cancelled_ until it ends
        pending* next_cancelled = nullptr;  // behind it there

        // While its host is looked up: outside the multi handle, and due_ms may be the end of the time to connect.
        bool waits_for_name = false;  // the driving thread's
        std::int64_t end_ms = 0;      // due_ms and limit as they were
        time_limit end_limit = time_limit::attempt;
        std::shared_ptr<const std::string> addresses;  // as resolved() got them
        pending* next_named = nullptr;                 // behind it in named_
    };
    struct timer {
        std::int64_t due_ms = 0;
        std::function<void()> fire;
    };

    // What the driving thread alone touches.
    struct drivers_own {
        drivers_own(const connection_limits& limits, trust_defaults trust);
        multi curl;
        easy_pool pool;
        std::vector<ticket> beginning;   // taken from new_
        std::size_t begun = 0;           // of them
        std::size_t nameless = 0;        // transfers that wait for a name
        std::int64_t names_due_ms = -1;  // steady clock: when the resolver wants to be called; -1: never
    };

    bool begin_new(drivers_own& own);
    bool begin(drivers_own& own, pending& one);
    void stop_cancelled(drivers_own& own);
    bool reap(drivers_own& own);
    bool give_up_started(drivers_own& own);
    bool fire_due(drivers_own& own);
    void finish(drivers_own& own, pending& one, answer reply);
    std::unique_ptr<pending> forget(pending& one);
    void wake_locked();

    bool want_name(drivers_own& own, pending& one, CURLcode code);
    bool take_names(drivers_own& own);
    std::optional<answer> take_name(drivers_own& own, pending& one);
    void look_at_names(drivers_own& own);
    void name_came(pending& one,
                   std::shared_ptr<const std::string> found) noexcept;  // a thread of the resolver, or this one
    void leave_name(drivers_own& own, pending& one);
    void set_due(pending& one, std::int64_t due_ms, time_limit limit);

    const std::shared_ptr<resolver> names_ = shared_resolver();  // never called with mutex_ held
    driven<drivers_own> own_;

    mutable std::mutex mutex_;  // guards everything below; never held during a callback or a call of libcurl
    std::unordered_map<ticket, std::unique_ptr<pending>> transfers_;
    std::unordered_map<ticket, timer> timers_;
    std::set<std::pair<std::int64_t, ticket>> due_;  // of timers and transfers
    std::vector<ticket> new_;
    pending* cancelled_ = nullptr;  // the first of them
    pending* named_ = nullptr;      // the first of those whose lookup has ended
    ticket last_ = 0;
    bool woken_ = false;
    bool waiting_ = false;  // inside multi::wait(), or about to be
    bool closed_ = false;   // what is asked for now is dropped
};

}  // namespace gputide::http
