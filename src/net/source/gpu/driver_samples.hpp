// The samples that the driver itself takes of a GPU about five times a second and keeps for about 14 s.
#pragma once

#include "source/gpu/gpus.hpp"
#include "source/gpu/past.hpp"

#include <cstdint>

namespace gputide::source::nvml {

// The mean of the samples since `newest_us`, which moves on to the newest one.  0: of all that the driver keeps.  Reading removes
// nothing from the buffer, so that any number of triggers read it.  False: the GPU has no such buffer, or it is empty.
bool mean_of_samples(const calls& calls, const gpu& gpu, int type, std::uint64_t& newest_us, measured_value& out);

}  // namespace gputide::source::nvml
