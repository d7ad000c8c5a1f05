// The driver's libnvidia-ml.so.1, loaded when it is first needed: a host without a driver starts and runs all the same.
#pragma once

#include "base/result.hpp"
#include "source/gpu/calls.hpp"

#include <memory>

namespace gputide::source::nvml {

struct library {
    nvml::calls calls;
    std::shared_ptr<void> loaded;  // the library stays while this lives
};

// Not initialised yet.  Errors: not_here where there is no such library, or one that lacks a function.
result<library> load_library();

}  // namespace gputide::source::nvml
