// What can be read of a GPU: name, unit, whose number it is, and the NVML call that gives it.
#pragma once

#include "source/nvml/calls.hpp"

#include <span>
#include <string_view>

namespace gputide::source::nvml {

struct quantity {
    std::string_view name;  // the metric's, in manifests
    std::string_view unit;  // for messages
    // A GPU in MIG mode: true, its instances have the number; false, the GPU as a whole has it, or nobody.
    bool of_instance = false;
    code (*read)(const calls& by, device of, double& into) = nullptr;
};

std::span<const quantity> quantities();
const quantity* quantity_named(std::string_view name);  // null: there is none

}  // namespace gputide::source::nvml
