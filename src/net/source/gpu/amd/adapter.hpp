// AMD SMI behind the table of calls that the GPU drivers have in common.
#pragma once

#include "base/result.hpp"
#include "source/gpu/amd/functions.hpp"
#include "source/gpu/library.hpp"
#include "source/gpu/vendor.hpp"

namespace gputide::source::amd {

extern const nvml::vendor vendor;

// One library at a time: the functions of the table have no place for a context.
nvml::library adapted(library from);

}  // namespace gputide::source::amd
