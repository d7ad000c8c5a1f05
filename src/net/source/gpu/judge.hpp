// What the driver said → the reading with labels, and one sample.  Pure.
#pragma once

#include "source/gpu/driver.hpp"
#include "source/gpu/settings.hpp"
#include "source/source.hpp"

#include <cstdint>

namespace gputide::source::nvml {

// Labels as dcgm-exporter names them: gpu, UUID, modelName, and GPU_I_ID of an instance.
reading reading_of(const readings& readings, const settings& settings, std::int64_t now_ms);

// A GPU that could not be read is missing in the number: partial, unless that is accepted.  One that does not have the
// quantity at all (utilisation in MIG mode) is left out.
fetched judge_readings(const readings& readings, const settings& settings, std::int64_t now_ms);

// Series as reading_of() gives them.
fetched judge_values(numbers values, const settings& settings);

}  // namespace gputide::source::nvml
