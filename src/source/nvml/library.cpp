// dlopen and dlsym.
#include "source/nvml/library.hpp"

#include "base/format_text.hpp"

#include <dlfcn.h>
#include <string>

namespace gputide::source::nvml {
namespace {

error no_library(std::string text) { return fail(error_class::unavailable, std::move(text)); }

std::string loader_text() {
    const char* said = dlerror();
    return said == nullptr ? "no reason given" : said;
}

// Fills one entry of the table; false where the library has no such function.
template <class Function>
bool find(void* in, const char* symbol, Function& into) {
    void* found = dlsym(in, symbol);
    into = reinterpret_cast<Function>(found);
    return found != nullptr;
}

void find_newer(void* in, calls& into) {
    find(in, "nvmlDeviceGetMemoryInfo_v2", into.memory_2);
    find(in, "nvmlDeviceGetMigMode", into.mig_mode);
    find(in, "nvmlDeviceGetMaxMigDeviceCount", into.most_instances);
    find(in, "nvmlDeviceGetMigDeviceHandleByIndex", into.instance);
    find(in, "nvmlDeviceGetGpuInstanceId", into.instance_id);
}

}  // namespace

result<library> load_library() {
    void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return no_library(
            format_text("there is no NVIDIA driver here ({}); install it, or give the container the driver's tools "
                        "(NVIDIA_DRIVER_CAPABILITIES=utility), or read another machine's GPUs by a trigger of type "
                        "dcgm or prometheus",
                        loader_text()));
    }
    library out;
    out.loaded = {handle, &dlclose};
    calls& into = out.calls;
    const bool complete =
        find(handle, "nvmlInit_v2", into.init) && find(handle, "nvmlShutdown", into.shutdown) &&
        find(handle, "nvmlErrorString", into.error_text) && find(handle, "nvmlDeviceGetCount_v2", into.count) &&
        find(handle, "nvmlDeviceGetHandleByIndex_v2", into.by_index) && find(handle, "nvmlDeviceGetUUID", into.uuid) &&
        find(handle, "nvmlDeviceGetName", into.name) && find(handle, "nvmlDeviceGetUtilizationRates", into.busy) &&
        find(handle, "nvmlDeviceGetMemoryInfo", into.memory) &&
        find(handle, "nvmlDeviceGetTemperature", into.temperature) &&
        find(handle, "nvmlDeviceGetPowerUsage", into.power);
    if (!complete)
        return no_library(format_text("libnvidia-ml.so.1 is not one that is known here ({})", loader_text()));
    find_newer(handle, into);
    return out;
}

}  // namespace gputide::source::nvml
