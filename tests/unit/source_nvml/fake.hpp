// An NVML of the tests' own, which holds every call to what nvml.h asks of it: initialised, handles that it gave out, buffers
// of the right size, versions filled in.
#pragma once

#include "source/nvml/library.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gputide::testing {

struct fake_gpu {
    std::string uuid;
    std::string name = "NVIDIA H100 80GB HBM3";
    unsigned busy = 0;
    unsigned copies = 0;
    std::uint64_t total = 80'000;
    std::uint64_t reserved = 1'000;
    std::uint64_t used = 0;
    unsigned milliwatts = 0;
    unsigned celsius = 0;
    bool mig = false;
    unsigned instance_id = 0;
    std::map<unsigned, std::unique_ptr<fake_gpu>> instances;  // by position
    bool is_instance = false;

    int opens = 0;  // answer of the handle's call; 0: a handle
    int says = 0;   // answer of every reading
};

struct fake_nvml {
    std::vector<std::unique_ptr<fake_gpu>> gpus;
    int init_says = 0;
    bool has_memory_2 = true;
    bool has_mig = true;
    std::function<void()> before_busy;  // runs inside the call for utilisation, which may hang there

    // What was asked.
    int loads = 0;
    int inits = 0;
    std::atomic<int> shutdowns{0};
    int lists = 0;
    std::vector<std::string> asked;  // "busy GPU-0", "memory_2 MIG-1", ...

    fake_gpu& add(const std::string& uuid);
    fake_gpu& add_instance(fake_gpu& to, unsigned position, const std::string& uuid, unsigned id);
    std::vector<std::string> take_asked();
};

// The library as the driver's would load it.  One fake at a time: C functions have no place for a context.
result<source::nvml::library> load_fake(fake_nvml& from);

}  // namespace gputide::testing
