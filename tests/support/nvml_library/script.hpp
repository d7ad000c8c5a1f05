// The GPUs of the stand-in for libnvidia-ml.so.1, by a JSON file with its path in GPUTIDE_NVML_SCRIPT.
#pragma once

#include "support/fake_nvml.hpp"

namespace gputide::testing {

// {"gpus":[{"uuid":"GPU-0","name":"...","period_ms":1000,"duty":0.4,"busy":0,"memory_total":..,"memory_used":..,"watts":370,
// "idle_watts":70,"gpm":true,"samples":true,"says":0,"gpm_says":0,"hangs_ms":0,
// "instances":[{"uuid":"MIG-a","id":7,...}],"processes":[{"pid":1,"memory":..,"share":1}]}]}.  Without a file: no GPU.
void read_script(fake_nvml& into);

}  // namespace gputide::testing
