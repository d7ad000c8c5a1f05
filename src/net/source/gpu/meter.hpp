// Values of GPUs over the time between two polls of a trigger: by GPM where the GPU has it, else the mean of the driver's own
// samples, else the driver's last sample alone, which says so.
#pragma once

#include "source/gpu/gpm.hpp"
#include "source/gpu/gpus.hpp"
#include "source/gpu/past.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace gputide::source::nvml {

struct nvml_clock {
    std::function<std::int64_t()> steady_ms;
    std::function<void(std::int64_t)> pause_ms;
};

// One value for each of `gpus`, in their order.  The first one of a trigger stands for the samples that the driver keeps, or for
// an interval of its own of at least 200 ms, which this call waits for once.
std::vector<measured_value> averaged_values(const calls& calls, gpm& gpm, const nvml_clock& clock,
                                            const quantity& quantity, const std::vector<const gpu*>& gpus,
                                            past_readings& past);

}  // namespace gputide::source::nvml
