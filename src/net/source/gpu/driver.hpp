// The driver's libnvidia-ml.so.1, loaded when it is first needed: a host without a driver starts and runs all the same.
#pragma once

#include "base/result.hpp"
#include "source/gpu/calls.hpp"
#include "source/gpu/gpus.hpp"
#include "source/gpu/meter.hpp"
#include "source/gpu/processes.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gputide::source::nvml {

struct library {
    nvml::calls calls;
    std::shared_ptr<void> loaded;  // the library stays while this lives
};

// Returns it before its initialization.  Errors: not_here if there is no such library, or it lacks a function.
result<library> load_library();

// The NVIDIA driver while triggers use it: loaded and initialized with the first reading, listed anew every minute and
// when a handle went stale, shut down with the last trigger.

struct measured {
    const gpu* owner = nullptr;  // lives as long as the list beside it
    double value = 0.0;
    gputide::read_by read_by = gputide::read_by::unsaid;
    std::int64_t interval_ms = 0;
    std::string note;
    extra_labels labels;
};

struct unmeasured {
    const gpu* owner = nullptr;
    code said = ok;
    error why;
};

struct readings {
    std::shared_ptr<const std::vector<gpu>> list;
    std::vector<measured> values;
    std::vector<unmeasured> failures;
    std::vector<std::string> missing;  // wanted, and not on this machine
};

// The values to read, and those of the trigger's last poll; `past` may be null if nothing is to be kept.
struct reading_plan {
    const nvml::quantity* quantity = nullptr;
    std::vector<wanted_gpu> devices;
    std::int64_t now_ms = 0;  // how old GPUs may be listed
    process_filter processes;
    std::shared_ptr<past_readings> past;
};

nvml_clock real_clock();

class driver {
  public:
    explicit driver(std::function<result<library>()> load, nvml_clock clock = real_clock())
        : load_(std::move(load)), clock_(std::move(clock)) {}
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;
    ~driver();

    // One number of each wanted GPU, or of each of its processes.  Blocks for as long as the driver takes: about 0.1 ms a GPU,
    // 0.2 s at the first value over an interval, and seconds where it first has to wake a GPU without persistence mode.  Safe from
    // several threads; they take turns.
    // Errors: no driver (not_here), or one that cannot be asked at all.
    result<readings> read(const reading_plan& plan);

  private:
    error failure(code result_code, const std::string& doing) const;
    result<void> open();
    void forget();
    void close();
    result<void> list(std::int64_t now_ms);
    readings measure(const reading_plan& plan);
    std::vector<measured_value> values_of(const reading_plan& plan, const gpu& gpu, past_reading& past);
    void add(readings& to, const quantity& quantity, const gpu& gpu, measured_value value) const;

    const std::function<result<library>()> load_;
    const nvml_clock clock_;
    std::mutex guard_;
    library library_;  // init is null: closed
    std::unique_ptr<gpm> gpm_;
    std::unique_ptr<health> health_;
    std::shared_ptr<const std::vector<gpu>> list_;
    std::int64_t listed_ms_ = 0;
};

// The process's driver: made for the first trigger, gone with the last.  A forked child gets one of its own.
std::shared_ptr<driver> shared_driver();

// The samples that the driver itself takes of a GPU about five times a second and keeps for about 14 s.

// The mean of the samples since `newest_us`, which moves on to the newest one.  0: of all that the driver keeps.  Reading removes
// nothing from the buffer, so that any number of triggers read it.  False: the GPU has no such buffer, or it is empty.
bool mean_of_samples(const calls& calls, const gpu& gpu, int type, std::uint64_t& newest_us, measured_value& out);

}  // namespace gputide::source::nvml
