// Power as the energy that was used between two polls, and its share of the limit.
#pragma once

#include "source/gpu/gpus.hpp"
#include "source/gpu/past.hpp"

#include <cstdint>

namespace gputide::source::nvml {

// `power_average_watts` or `power_ratio` of one whole GPU.  The first value, and that of a GPU without an energy counter (before
// Volta), is the driver's own power reading.
measured_value average_power(const calls& calls, const quantity& quantity, const gpu& gpu, std::int64_t steady_ms,
                             past_reading& past);

}  // namespace gputide::source::nvml
