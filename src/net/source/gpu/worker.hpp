// One thread that runs functions in turn.  It starts with the first one; the destructor lets go of a thread that hangs and
// joins any other.
#pragma once

#include <functional>
#include <memory>

namespace gputide::source::nvml {

class worker {
  public:
    worker();
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker();

    // False: the system gives no thread.  Any thread but its own.
    bool run(std::function<void()> job);

  private:
    struct queue;
    std::shared_ptr<queue> queue_;
};

}  // namespace gputide::source::nvml
