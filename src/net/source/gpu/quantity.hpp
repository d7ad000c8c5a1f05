// What can be read of a GPU: names, units and the calls behind them.  A table; the calls go through `calls`.
#pragma once

#include "source/gpu/calls.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace gputide::source::nvml {

// Which file reads it.
enum class reading_kind : std::int8_t {
    instant,   // one call (quantity.cpp)
    averaged,  // over the time between two polls (meter.cpp)
    energy,    // the same by the energy counter (power.cpp)
    health,    // errors and clocks that are held down (health.cpp)
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

}  // namespace gputide::source::nvml
