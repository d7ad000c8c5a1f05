// SIGTERM, SIGINT and SIGHUP as something the loop can wait for.  They end a wait; a stop also ends the fetch and the child
// under way.
#pragma once

#include "gputide/gputide.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace gputided {

enum class wake { due, reload, stop };

class signals {
  public:
    // Blocks the signals in this thread and all that it starts later: make it before any other thread.
    signals();
    ~signals();
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;

    wake wait_until(std::int64_t unix_ms);  // an hour at most
    bool stopping() const;
    const gputide::cancel& cancel() const { return cancel_; }  // fired by a stop
    int stop_fd() const { return stop_fd_; }                   // readable for ever after a stop

  private:
    void listen();
    void stop();

    gputide::cancel cancel_;
    int stop_fd_;
    mutable std::mutex lock_;
    std::condition_variable changed_;
    bool stop_ = false;
    bool reload_ = false;
    std::thread listener_;
};

}  // namespace gputided
