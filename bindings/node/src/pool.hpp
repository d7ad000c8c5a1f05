// Threads of the addon's own for calls that wait: libuv's are few, and file access of the host waits on them.
#ifndef GPUTIDE_NODE_POOL_HPP
#define GPUTIDE_NODE_POOL_HPP

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <node_api.h>

namespace gputide_node {

// A call on its way: run() on a thread of the pool, then settle() on JavaScript's.
class task {
  public:
    task() = default;
    task(const task&) = delete;
    task& operator=(const task&) = delete;
    virtual ~task() = default;

    virtual void run() noexcept = 0;
    virtual void settle(napi_env env) noexcept = 0;
};

// A thread for each task; one without a task ends after a while.  lib/handle.js bounds the number of tasks.
class pool : public std::enable_shared_from_this<pool> {
  public:
    // done: takes each finished task to JavaScript's thread.
    explicit pool(napi_threadsafe_function done) : done_(done) {}

    void submit(std::unique_ptr<task> added);
    // No task begins from now on.  Whether those that run have ended within that time.
    bool ended_within(std::chrono::milliseconds time);

  private:
    void start_thread();
    static void serve(const std::shared_ptr<pool>& self);

    napi_threadsafe_function done_;
    std::mutex mutex_;
    std::condition_variable changed_, ended_;
    std::deque<std::unique_ptr<task>> waiting_;
    unsigned threads_ = 0, idle_ = 0;
    bool stopping_ = false;
};

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_POOL_HPP
