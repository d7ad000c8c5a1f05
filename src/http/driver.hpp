// The multi handle with its transfers and timers.  Any thread asks (send, after, cancel, wake); one thread at a time
// drives (work, wait, look), which is where every callback runs.  Who drives is not decided here (client.cpp).  driver.cpp has
// what any thread asks, work.cpp what the driving one does.
// Without memory: what asks for more throws std::bad_alloc and has changed nothing; what ends something needs none.  What a
// callback throws comes out of work(), which goes on with the rest when it is called again.
#pragma once

#include "http/client.hpp"
#include "http/multi.hpp"
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
    driver(const client_options& options, trust_defaults trust);
    ~driver();
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;

    // Any thread.
    ticket send(outgoing request, std::int64_t deadline_ms, std::function<void(answer)> done);
    ticket after(std::int64_t delay_ms, std::function<void()> fire);
    void cancel(ticket id);
    ticket reserve();
    void wake();  // the wait under way, or the next one, ends at once
    std::int64_t next_due_ms() const;

    // The driving thread.
    bool work();  // all that can be done now; true: a callback ran
    // For the network, a timer, a wake or new work.  True: wake() ended it.
    bool wait(std::int64_t most_ms);
    // For one who waits on descriptor() himself: all that can be done now, then the milliseconds until the next look; -1:
    // not before the descriptor is readable.
    std::int64_t look();
    int descriptor() const { return multi_.descriptor(); }
    // When nobody drives any more: see client::close().
    void close();

  private:
    struct pending {
        pending(outgoing request, url_parts url) : way(std::move(request), std::move(url)) {}
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
    };
    struct timer {
        std::int64_t due_ms = 0;
        std::function<void()> fire;
    };

    bool begin_new();
    bool begin(pending& one);
    void stop_cancelled();
    bool reap();
    bool give_up_started();
    bool fire_due();
    void finish(pending& one, answer reply);
    std::unique_ptr<pending> forget(pending& one);
    void wake_locked();
    void end_transfers();

    multi multi_;
    easy_pool pool_;

    mutable std::mutex mutex_;  // guards everything below; never held during a callback or a call of libcurl
    std::unordered_map<ticket, std::unique_ptr<pending>> transfers_;
    std::unordered_map<ticket, timer> timers_;
    std::set<std::pair<std::int64_t, ticket>> due_;  // of timers and transfers
    std::vector<ticket> new_;
    pending* cancelled_ = nullptr;  // the first of them
    ticket last_ = 0;
    bool woken_ = false;
    bool waiting_ = false;  // inside multi_.wait(), or about to be
    bool closed_ = false;   // what is asked for now is dropped

    // The driving thread's own.
    std::vector<ticket> beginning_;  // taken from new_
    std::size_t begun_ = 0;          // of them
};

}  // namespace gputide::http
