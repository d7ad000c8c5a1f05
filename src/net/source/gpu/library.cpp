// Loads the library with dlopen and dlsym.
#include "base/format_text.hpp"
#include "source/gpu/driver.hpp"

#include <dlfcn.h>
#include <string>

namespace gputide::source::nvml {
namespace {

error no_library(std::string text) { return fail(error_class::unavailable, std::move(text)); }

std::string loader_text() {
    const char* said = dlerror();
    return said == nullptr ? "no reason given" : said;
}

// Fills one entry of the table; returns false if the library lacks the function.
template <class Function>
bool find(void* in, const char* symbol, Function& into) {
    void* found = dlsym(in, symbol);
    into = reinterpret_cast<Function>(found);
    return found != nullptr;
}

void find_newer(void* in, calls& calls) {
    find(in, "nvmlDeviceGetMemoryInfo_v2", calls.memory_2);
    find(in, "nvmlDeviceGetMigMode", calls.mig_mode);
    find(in, "nvmlDeviceGetMaxMigDeviceCount", calls.max_instances);
    find(in, "nvmlDeviceGetMigDeviceHandleByIndex", calls.instance);
    find(in, "nvmlDeviceGetGpuInstanceId", calls.instance_id);
    find(in, "nvmlDeviceGetSamples", calls.samples);
    find(in, "nvmlDeviceGetTotalEnergyConsumption", calls.energy);
    find(in, "nvmlDeviceGetEnforcedPowerLimit", calls.power_limit);
    // Before driver 535 the function had another name; its bits are the same.
    if (!find(in, "nvmlDeviceGetCurrentClocksEventReasons", calls.clock_reasons))
        find(in, "nvmlDeviceGetCurrentClocksThrottleReasons", calls.clock_reasons);
    find(in, "nvmlDeviceGetTotalEccErrors", calls.ecc_errors);
    find(in, "nvmlDeviceGetProcessUtilization", calls.process_samples);
    find(in, "nvmlDeviceGetComputeRunningProcesses_v3", calls.processes);
}

void find_events(void* in, calls& calls) {
    find(in, "nvmlEventSetCreate", calls.new_event_set);
    find(in, "nvmlEventSetFree", calls.free_event_set);
    find(in, "nvmlDeviceRegisterEvents", calls.register_events);
    find(in, "nvmlEventSetWait_v2", calls.wait_event);
}

void find_gpm(void* in, calls& calls) {
    find(in, "nvmlGpmQueryDeviceSupport", calls.gpm_supported);
    find(in, "nvmlGpmSampleAlloc", calls.gpm_new);
    find(in, "nvmlGpmSampleFree", calls.gpm_free);
    find(in, "nvmlGpmSampleGet", calls.gpm_take);
    find(in, "nvmlGpmMigSampleGet", calls.gpm_take_of_instance);
    find(in, "nvmlGpmMetricsGet", calls.gpm_compute);
}

}  // namespace

result<library> load_library() {
    void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return no_library(
            format_text("the NVIDIA driver is not available ({}); install it, or give the container the driver's tools "
                        "(NVIDIA_DRIVER_CAPABILITIES=utility), or read another machine's GPUs with a trigger of type "
                        "dcgm or prometheus",
                        loader_text()));
    }
    library out;
    out.loaded = {handle, &dlclose};
    calls& calls = out.calls;
    const bool complete =
        find(handle, "nvmlInit_v2", calls.init) && find(handle, "nvmlShutdown", calls.shutdown) &&
        find(handle, "nvmlErrorString", calls.error_text) && find(handle, "nvmlDeviceGetCount_v2", calls.count) &&
        find(handle, "nvmlDeviceGetHandleByIndex_v2", calls.by_index) &&
        find(handle, "nvmlDeviceGetUUID", calls.uuid) && find(handle, "nvmlDeviceGetName", calls.name) &&
        find(handle, "nvmlDeviceGetUtilizationRates", calls.busy) &&
        find(handle, "nvmlDeviceGetMemoryInfo", calls.memory) &&
        find(handle, "nvmlDeviceGetTemperature", calls.temperature) &&
        find(handle, "nvmlDeviceGetPowerUsage", calls.power);
    if (!complete) return no_library(format_text("libnvidia-ml.so.1 is not supported ({})", loader_text()));
    find_newer(handle, calls);
    find_events(handle, calls);
    find_gpm(handle, calls);
    return out;
}

}  // namespace gputide::source::nvml
