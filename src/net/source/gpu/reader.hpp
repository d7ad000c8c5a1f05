// One thread that runs functions in turn.  It starts with the first one; the destructor lets go of a thread that hangs and
// joins any other.
#pragma once

#include "base/result.hpp"
#include "http/loop.hpp"
#include "http/retry.hpp"
#include "source/gpu/driver.hpp"
#include "source/gpu/gpus.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

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

// Readings of the driver that cannot stop a process: a call into NVML takes no deadline, and one that hangs in the kernel
// would otherwise hold the loop that every other scaler stands on.  Readings are taken in turn on a thread of the reader's
// own, all signals blocked in it, which starts with the first one and ends with the reader.

class reader {
  public:
    // `start` runs a function once, soon, and may block as long as that does: on another thread, or (tests) at once.
    using starter = std::function<bool(std::function<void()>)>;

    explicit reader(std::shared_ptr<driver> driver, const vendor& of = nvidia);  // on a thread of its own
    reader(std::shared_ptr<driver> driver, starter start, const vendor& of = nvidia);

    // `done` runs once on the loop, never inside this call, not after cancel(), and by deadline_ms (steady clock) whatever the
    // driver does.  A reading that is not over by then: class timeout, code nvml_hangs (of another vendor: its type).  While it hangs, further ones fail at
    // once with the same; when it returns, the next one is read again.
    std::shared_ptr<http::exchange> read(const std::shared_ptr<http::loop>& loop, reading_plan plan,
                                         std::int64_t deadline_ms, std::function<void(result<readings>)> done);

  private:
    struct shared;
    class under_way;
    std::shared_ptr<shared> shared_;
};

// The process's reader on shared_driver(): made for the first open trigger, gone with the last.
std::shared_ptr<reader> shared_reader();

}  // namespace gputide::source::nvml
