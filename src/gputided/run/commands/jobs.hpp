// Work that blocks (the user's commands), on a bounded number of threads; what it came to is handled on the main thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gputided {

class jobs {
  public:
    using step = std::function<void()>;
    // Runs on a thread of this class; returns what is to be done on the main thread then.
    using work = std::function<step()>;

    explicit jobs(std::size_t threads);
    ~jobs();  // waits for those under way; what waits for a thread is dropped
    jobs(const jobs&) = delete;
    jobs& operator=(const jobs&) = delete;

    // Main thread.
    void add(work job);
    int descriptor() const { return descriptor_; }  // readable while a job's second half waits
    void finish_those_done();
    void end();  // as the destructor, and the second halves of what was under way are done

    // Any thread.
    std::size_t running() const;
    std::size_t waiting() const;

  private:
    void serve();

    const std::size_t most_threads_;
    const int descriptor_;
    mutable std::mutex lock_;
    std::condition_variable changed_;
    std::deque<work> waiting_;
    std::deque<step> done_;
    std::size_t running_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;  // started as they are needed
};

}  // namespace gputided
