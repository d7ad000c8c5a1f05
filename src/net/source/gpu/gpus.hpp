// The quantities of a GPU, the vendors, and the GPUs of this machine.  Everything except `list_gpus` is tables or pure.
#pragma once

#include "base/error.hpp"
#include "base/result.hpp"
#include "source/gpu/calls.hpp"
#include "text/field.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::nvml {

// The way in which a quantity is read, and the file that reads it.
enum class reading_kind : std::int8_t {
    instant,   // one call (gpus.cpp)
    averaged,  // the mean between two polls (meter.cpp)
    energy,    // the mean between two polls, from the energy counter (gpm.cpp)
    health,    // errors and reduced clocks (meter.cpp)
    process,   // one value per process (meter.cpp)
};

struct quantity {
    std::string_view name;  // the metric's name in manifests
    std::string_view unit;  // for messages
    // For a GPU in MIG mode.  True: its instances have the value; false: only the whole GPU can have it.
    bool of_instance = false;
    reading_kind kind = reading_kind::instant;
    // Kind instant: reads the value; kind averaged: reads a single sample, or null.
    code (*read)(const calls& by, device of, double& into) = nullptr;
    unsigned gpm = 0;       // NVML_GPM_METRIC_*; 0: not in GPM
    double gpm_factor = 1;  // converts GPM's unit to `unit`
    int samples = -1;       // NVML_*_SAMPLES; -1: no samples in the driver
};

std::span<const quantity> quantities();
const quantity* quantity_named(std::string_view name);  // null: unknown name

// Differences between GPU vendors apart from the calls: names, meanings of codes, metrics.  The rest of this folder is common to
// all vendors: another vendor's library fills the table of calls.hpp, as amd/ does.

struct code_meaning {
    code said;
    error_class kind;
    std::string_view remedy;
};

struct vendor {
    std::string_view type;           // trigger type: "nvml"
    std::string_view driver;         // "the NVIDIA driver"
    std::string_view library;        // shown with its codes: "NVML"
    std::string_view sample;         // meaning of a single sample of a utilization
    std::string_view when_it_hangs;  // remedy for a driver that hangs
    std::span<const code_meaning> meanings;
    std::span<const std::string_view> metrics;  // the subset of quantities() that it supports; empty: all
    std::span<const text::field> keys;
    code (*own_code)(code) = nullptr;  // converts a code of calls.hpp to the library's; null: identical

    const quantity* quantity_named(std::string_view name) const;  // null: not supported
    bool has_key(std::string_view name) const;
};

extern const vendor nvidia;

// The GPUs and MIG instances of this machine, and the choice of those that a trigger names.  `list_gpus` calls the driver; the
// choice is pure.

// A GPU or a MIG instance.
struct gpu {
    device handle = nullptr;
    device whole = nullptr;            // GPU of an instance; for a GPU, `handle`
    unsigned index = 0;                // index of the GPU; changes over reboots, and differs from CUDA's order
    std::optional<unsigned> instance;  // position among the GPU's instances
    unsigned instance_id = 0;          // GPU_I_ID of dcgm-exporter
    bool in_mig_mode = false;          // its memory belongs to its instances
    std::string uuid;                  // "GPU-…", "MIG-…"
    std::string name;
    code problem = ok;  // why it could not be opened; then only `index` is valid
};

struct gpu_list {
    code said = ok;  // of counting the GPUs; if it failed, the list is empty
    std::vector<gpu> all;
};
gpu_list list_gpus(const calls& calls);

// A device as a manifest names it: "3", "3:1" (instance 1 of GPU 3), "GPU-…", "MIG-…".
struct wanted_gpu {
    std::optional<unsigned> index;
    std::optional<unsigned> instance;
    std::string uuid;
    std::string text;  // as written
};
std::optional<wanted_gpu> parse_wanted(std::string_view text);

struct chosen_gpus {
    std::vector<const gpu*> all;       // without duplicates; valid as long as the list
    std::vector<std::string> missing;  // requested, but not found
};

// Chooses the requested GPUs, or all if `wanted` is empty.  For a quantity of instances, a GPU in MIG mode is replaced by its
// instances; for a quantity of whole GPUs, an instance is replaced by its GPU.
chosen_gpus choose(const std::vector<gpu>& gpus, const std::vector<wanted_gpu>& wanted, const quantity& quantity);

// Returns "GPU 0 (GPU-3f6c…)" or "MIG instance 0:1 (MIG-…)".
std::string shown(const gpu& gpu);

}  // namespace gputide::source::nvml
