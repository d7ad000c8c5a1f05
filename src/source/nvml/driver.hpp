// The NVIDIA driver as long as somebody asks it: loaded and initialised with the first reading, listed anew every minute and
// when a handle went stale, shut down with the last trigger.
#pragma once

#include "base/result.hpp"
#include "source/nvml/gpus.hpp"
#include "source/nvml/library.hpp"
#include "source/nvml/quantity.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gputide::source::nvml {

struct measured {
    const gpu* owner = nullptr;  // lives as long as the list beside it
    double value = 0.0;
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

class driver {
  public:
    explicit driver(std::function<result<library>()> load) : load_(std::move(load)) {}
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;
    ~driver();

    // One number of each wanted GPU.  Blocks for as long as the driver takes: about 0.1 ms a GPU, and seconds where it first
    // has to wake a GPU without persistence mode.  Safe from several threads; they take turns.
    // Errors: no driver (not_here), or one that cannot be asked at all.
    result<readings> read(const quantity& quantity, const std::vector<wanted_gpu>& wanted, std::int64_t now_ms);

  private:
    error failure(code result_code, const std::string& doing) const;
    result<void> open();
    void close();
    result<void> list(std::int64_t now_ms);
    readings measure(const quantity& quantity, const std::vector<wanted_gpu>& wanted) const;

    const std::function<result<library>()> load_;
    std::mutex guard_;
    library library_;  // init is null: closed
    std::shared_ptr<const std::vector<gpu>> list_;
    std::int64_t listed_ms_ = 0;
};

// The process's driver: made for the first trigger, gone with the last.  A forked child gets one of its own.
std::shared_ptr<driver> shared_driver();

}  // namespace gputide::source::nvml
