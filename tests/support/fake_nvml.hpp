// An NVML for tests: GPUs that run loads in bursts against a scripted clock, or the machine's own.  It holds every call to what
// nvml.h asks of it (initialized, handles that it gave out, buffers of the right size, versions filled in) and ends the program
// where a caller breaks that.  tests/support/nvml_library exports it as a libnvidia-ml.so.1.
#pragma once

#include "source/gpu/driver.hpp"
#include "source/gpu/meter.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gputide::testing {

// Busy from the beginning of each period, for `duty` of it.  A period of 0: there is no such load, and `busy` counts.
struct fake_load {
    std::int64_t period_us = 0;
    double duty = 0.0;

    double active_us(std::int64_t until_us) const;                    // since time 0
    double share(std::int64_t from_us, std::int64_t until_us) const;  // 0 to 1
};

struct fake_process {
    unsigned pid = 0;
    std::uint64_t memory = 0;
    double share = 1.0;  // of the GPU's load
};

struct fake_gpu {
    std::string uuid;
    std::string name = "NVIDIA H100 80GB HBM3";
    unsigned busy = 0;
    unsigned copies = 0;
    fake_load load;
    std::uint64_t total = 80'000;
    std::uint64_t reserved = 1'000;
    std::uint64_t used = 0;
    unsigned milliwatts = 0;  // while the load runs, where there is one
    unsigned idle_milliwatts = 0;
    unsigned limit_milliwatts = 700'000;
    unsigned celsius = 0;
    std::uint64_t clock_reasons = 1;  // idle
    std::uint64_t ecc_errors = 0;
    std::vector<fake_process> processes;
    bool mig = false;
    unsigned instance_id = 0;
    std::map<unsigned, std::unique_ptr<fake_gpu>> instances;  // by position
    bool is_instance = false;
    bool has_nvlink = true;

    int opens = 0;     // answer of the handle's call; 0: a handle
    int says = 0;      // answer of every reading
    int gpm_says = 0;  // answer of taking a GPM sample
    bool has_gpm = true;
    bool has_samples = true;
    std::int64_t hangs_ms = 0;  // in each reading
};

struct fake_nvml {
    std::vector<std::unique_ptr<fake_gpu>> gpus;
    int init_says = 0;
    bool has_memory_2 = true;
    bool has_mig = true;
    bool has_gpm = true;                // the library's functions
    bool has_samples = true;            // the library's function
    std::function<void()> before_busy;  // runs inside the call for utilization, which may hang there
    bool is_real_time = false;
    std::int64_t time_us = 1'760'000'000'000'000;  // of the scripted clock
    std::int64_t host_offset_us = 0;               // of the host's clock, which the driver's samples carry

    // The requests.
    int loads = 0;
    int inits = 0;
    std::atomic<int> shutdowns{0};
    int lists = 0;
    int gpm_live = 0;  // samples that are allocated
    int gpm_takes = 0;
    int event_sets = 0;                                     // that are open
    std::vector<std::string> asked;                         // "busy GPU-0", "memory_2 MIG-1", ...
    std::vector<std::pair<fake_gpu*, std::uint64_t>> xids;  // that no caller heard of yet

    fake_gpu& add(const std::string& uuid);
    fake_gpu& add_instance(fake_gpu& to, unsigned position, const std::string& uuid, unsigned id);
    std::vector<std::string> take_asked();
    std::int64_t now_us() const;
    void pass_ms(std::int64_t ms) { time_us += ms * 1'000; }
};

// NVML's functions.  One fake at a time: C functions have no place for a context.
source::nvml::calls calls_of(fake_nvml& from);

// The library as the driver's would load it.
inline result<source::nvml::library> load_fake(fake_nvml& from) {
    ++from.loads;
    return source::nvml::library{calls_of(from), nullptr};
}

// A driver's clock that is the fake's: a pause takes no time.
source::nvml::nvml_clock clock_of(fake_nvml& from);

}  // namespace gputide::testing
