// The GPU driver of this machine: loads its library (libnvidia-ml.so.1) at first use, so that a host without a driver starts and
// runs; and the reader that calls it on a thread of its own.
#pragma once

#include "base/callback.hpp"
#include "base/result.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "source/gpu/calls.hpp"
#include "source/gpu/gpus.hpp"
#include "source/gpu/meter.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gputide::source::nvml {

struct library {
    nvml::calls calls;
    std::shared_ptr<void> loaded;  // keeps the library loaded
};

// Loads the library without initializing it.  Errors: not_here if the library does not exist or lacks a function.
result<library> load_library();

// The NVIDIA driver.  Loaded and initialized with the first reading; lists the GPUs again every minute and when a handle is
// stale; shut down with the last trigger.

struct readings {
    std::shared_ptr<const std::vector<gpu>> list;
    std::vector<measured> values;
    std::vector<measured> failures;
    std::vector<std::string> missing;  // requested, but not on this machine
};

// The values to read, and those of the trigger's last poll.  `past` may be null if nothing is kept.
struct reading_plan {
    const nvml::quantity* quantity = nullptr;
    std::vector<wanted_gpu> devices;
    std::int64_t now_ms = 0;  // determines when the GPUs are listed again
    process_filter processes;
    std::shared_ptr<past_readings> past;
};

nvml_clock real_clock();

class driver {
  public:
    explicit driver(callback<result<library>()> load, nvml_clock clock = real_clock())
        : load_(std::move(load)), clock_(std::move(clock)) {}
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;
    ~driver();

    // Reads one value of each requested GPU, or of each of its processes.  Blocks as long as the driver does: about 0.1 ms per
    // GPU, 0.2 s at the first value over an interval, and seconds if it has to wake up a GPU without persistence mode.
    // Thread-safe; calls are serialized.  Errors: no driver (not_here), or a driver that does not respond.
    result<readings> read(const reading_plan& plan);

  private:
    error failure(code result_code, const std::string& doing) const;
    result<void> open();
    void forget();
    void close();
    result<void> list(std::int64_t now_ms);
    readings measure(const reading_plan& plan);

    const callback<result<library>()> load_;
    const nvml_clock clock_;
    std::mutex guard_;
    library library_;  // calls.init is null: closed
    std::unique_ptr<gpm> gpm_;
    std::unique_ptr<health> health_;
    std::shared_ptr<const std::vector<gpu>> list_;
    std::int64_t listed_ms_ = 0;
};

// Returns the process's driver.  It exists from the first trigger to the last; a forked child creates its own.
std::shared_ptr<driver> shared_driver();

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
