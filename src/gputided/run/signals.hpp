// SIGTERM, SIGINT and SIGHUP as descriptors that a loop can wait for.  A stop also ends the commands under way.
#pragma once

#include <atomic>
#include <thread>

namespace gputided {

class signals {
  public:
    // Blocks the signals in this thread and all that it starts later: make it before any other thread.
    signals();
    ~signals();
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;

    bool stopping() const { return stop_; }
    int stop_fd() const { return stop_fd_; }      // readable for ever after a stop
    int reload_fd() const { return reload_fd_; }  // readable until take_reload()
    bool take_reload();                           // whether SIGHUP came since the last call

  private:
    void listen();

    int stop_fd_;
    int reload_fd_;
    std::atomic<bool> stop_{false};
    std::atomic<bool> ending_{false};
    std::thread listener_;
};

}  // namespace gputided
