// The quantities of a GPU: names, units and the calls behind them.  A table; the calls go through `calls`.
#pragma once

#include "base/error.hpp"
#include "base/result.hpp"
#include "source/gpu/calls.hpp"
#include "text/field.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::nvml {

// Which file reads it.
enum class reading_kind : std::int8_t {
    instant,   // one call (quantity.cpp)
    averaged,  // over the time between two polls (meter.cpp)
    energy,    // the same by the energy counter (gpm.cpp)
    health,    // errors and clocks that are held down (gpus.cpp)
    process,   // one value for each process (processes.cpp)
};

struct quantity {
    std::string_view name;  // the metric's, in manifests
    std::string_view unit;  // for messages
    // A GPU in MIG mode: true, its instances have the number; false, only the GPU as a whole can have it.
    bool of_instance = false;
    reading_kind kind = reading_kind::instant;
    code (*read)(const calls& by, device of,
                 double& into) = nullptr;  // instant; of `averaged` the single sample, or null
    unsigned gpm = 0;                      // NVML_GPM_METRIC_*; 0: GPM does not have it
    double gpm_factor = 1;                 // from GPM's unit to this one's
    int samples = -1;                      // NVML_*_SAMPLES; -1: the driver keeps none
};

std::span<const quantity> quantities();
const quantity* quantity_named(std::string_view name);  // null: unknown name

// The differences between vendors of GPUs beside the calls: names, meanings of codes, metrics.  The rest of this folder is the
// same for all of them: the library of another one fills the table of calls.hpp, as amd/ does.

struct code_meaning {
    code said;
    error_class kind;
    std::string_view remedy;
};

struct vendor {
    std::string_view type;           // of triggers: "nvml"
    std::string_view driver;         // "the NVIDIA driver"
    std::string_view library;        // its codes are shown: "NVML"
    std::string_view sample;         // what a single sample of a share of time is
    std::string_view when_it_hangs;  // what to do then
    std::span<const code_meaning> meanings;
    std::span<const std::string_view> metrics;  // of quantities(), those that it has; empty: all
    std::span<const text::field> keys;
    code (*own_code)(code) = nullptr;  // the library's number of a code of calls.hpp; null: the same

    const quantity* quantity_named(std::string_view name) const;  // null: it does not have it
    bool has_key(std::string_view name) const;
};

extern const vendor nvidia;

// The GPUs and MIG instances of this machine, and which of them a trigger means.
// `list_gpus` asks the driver; choosing is pure.

// A GPU, or a MIG instance of one.
struct gpu {
    device handle = nullptr;
    device whole = nullptr;            // of an instance: its GPU; else as handle
    unsigned index = 0;                // of the GPU; not stable over reboots, and not CUDA's order
    std::optional<unsigned> instance;  // position among the GPU's instances
    unsigned instance_id = 0;          // GPU_I_ID of dcgm-exporter
    bool in_mig_mode = false;          // its memory belongs to its instances
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
std::string shown(const gpu& gpu);

}  // namespace gputide::source::nvml
