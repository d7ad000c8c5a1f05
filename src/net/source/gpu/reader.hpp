// Reads the driver on a thread, so that a hanging driver blocks nothing else.
#pragma once

#include "base/callback.hpp"
#include "base/result.hpp"
#include "http/loop.hpp"
#include "http/retry.hpp"
#include "source/gpu/driver.hpp"
#include "source/gpu/gpus.hpp"

#include <cstdint>
#include <memory>

namespace gputide::source::nvml {

// A thread that runs functions one after another.  It starts with the first function.  The destructor detaches a hanging thread
// and joins any other.
class worker {
  public:
    worker();
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker();

    // Returns false if the system cannot create a thread.  May be called from any thread but its own.
    bool run(callback<void()> job);

  private:
    struct queue;
    std::shared_ptr<queue> queue_;
};

// Readings of the driver that cannot block the process: a call of NVML has no timeout, and a call that hangs in the kernel would
// otherwise block the loop of all scalers.  Readings run one after another on the reader's own thread with all signals blocked,
// which starts with the first reading and ends with the reader.

class reader {
  public:
    // Runs a function once, soon, and may block until it returns: on another thread, or in tests immediately.
    using starter = callback<bool(callback<void()>)>;

    explicit reader(std::shared_ptr<driver> driver, const vendor& of = nvidia);  // with its own thread
    reader(std::shared_ptr<driver> driver, starter start, const vendor& of = nvidia);

    // Calls `done` once on the loop, never inside this call, not after cancel(), and by deadline_ms (steady clock) even if the
    // driver hangs.  A reading that is not complete by then has class timeout, code nvml_hangs (for another vendor: its type).
    // While it hangs, further readings fail immediately with the same error; after it returns, readings work again.
    std::shared_ptr<http::exchange> read(const std::shared_ptr<http::loop>& loop, reading_plan plan,
                                         std::int64_t deadline_ms, callback<void(result<readings>)> done);

  private:
    struct shared;
    class under_way;
    std::shared_ptr<shared> shared_;
};

// Returns the process's reader on shared_driver().  It exists from the first open trigger to the last.
std::shared_ptr<reader> shared_reader();

}  // namespace gputide::source::nvml
