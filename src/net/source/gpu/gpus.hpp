// The GPUs and MIG instances of this machine, and which of them a trigger means.
// `list_gpus` asks the driver; choosing is pure.
#pragma once

#include "base/result.hpp"
#include "source/gpu/calls.hpp"
#include "source/gpu/quantity.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::nvml {

// A GPU, or a MIG instance of one.
struct gpu {
    device handle = nullptr;
    device whole = nullptr;            // of an instance: its GPU; else as handle
    unsigned index = 0;                // of the GPU; not stable over reboots, and not CUDA's order
    std::optional<unsigned> instance;  // position among the GPU's instances
    unsigned instance_id = 0;          // GPU_I_ID of dcgm-exporter
    bool in_mig_mode = false;          // a GPU whose memory belongs to its instances
    std::string uuid;                  // "GPU-…", "MIG-…"
    std::string name;
    code problem = ok;  // why it could not be opened; nothing but `index` holds then
};

struct gpu_list {
    code said = ok;  // of counting; the list is empty where that failed
    std::vector<gpu> all;
};
gpu_list list_gpus(const calls& calls);

// "3", "3:1" (an instance by its position), "GPU-…", "MIG-…".
struct wanted_gpu {
    std::optional<unsigned> index;
    std::optional<unsigned> instance;
    std::string uuid;
    std::string text;  // as written
};
std::optional<wanted_gpu> parse_wanted(std::string_view text);

struct chosen_gpus {
    std::vector<const gpu*> all;       // each once; they live as long as the list
    std::vector<std::string> missing;  // wanted, and not there
};

// All GPUs where nothing is wanted by name.  For a quantity of instances a GPU in MIG mode stands for its instances; for one
// of whole GPUs an instance stands for its GPU.
chosen_gpus choose(const std::vector<gpu>& gpus, const std::vector<wanted_gpu>& wanted, const quantity& quantity);

// "GPU 0 (GPU-3f6c…)", "MIG instance 0:1 (MIG-…)".
std::string shown(const gpu& one);

}  // namespace gputide::source::nvml
