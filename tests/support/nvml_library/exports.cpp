// The functions that libnvidia-ml.so.1 exports, with a fake behind them.
#include "source/gpu/gpus.hpp"
#include "support/nvml_library/script.hpp"

#include <mutex>

namespace gputide::source::nvml {
const vendor nvidia{};  // `calls` refers to it; nothing here reads it
}

namespace {

using namespace gputide::source::nvml;  // NOLINT: the types of nvml.h

// NVML is safe to call from several threads; the fake is not.
std::mutex& guard() {
    static std::mutex only;
    return only;
}

const calls& fake() {
    static gputide::testing::fake_nvml machine;
    static const calls table = [] {
        gputide::testing::read_script(machine);
        return gputide::testing::calls_of(machine);
    }();
    return table;
}

template <class Function, class... Value>
code call(Function calls::*function, Value... value) {
    const std::lock_guard hold(guard());
    return (fake().*function)(value...);
}

}  // namespace

// NOLINTBEGIN: names and shapes of nvml.h
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED const char* nvmlErrorString(code said) { return fake().error_text(said); }
EXPORTED code nvmlInit_v2() { return call(&calls::init); }
EXPORTED code nvmlShutdown() { return call(&calls::shutdown); }
EXPORTED code nvmlDeviceGetCount_v2(unsigned* a) { return call(&calls::count, a); }
EXPORTED code nvmlDeviceGetHandleByIndex_v2(unsigned a, device* b) { return call(&calls::by_index, a, b); }
EXPORTED code nvmlDeviceGetUUID(device a, char* b, unsigned c) { return call(&calls::uuid, a, b, c); }
EXPORTED code nvmlDeviceGetName(device a, char* b, unsigned c) { return call(&calls::name, a, b, c); }
EXPORTED code nvmlDeviceGetUtilizationRates(device a, busy_percent* b) { return call(&calls::busy, a, b); }
EXPORTED code nvmlDeviceGetMemoryInfo(device a, memory_bytes* b) { return call(&calls::memory, a, b); }
EXPORTED code nvmlDeviceGetTemperature(device a, unsigned b, unsigned* c) { return call(&calls::temperature, a, b, c); }
EXPORTED code nvmlDeviceGetPowerUsage(device a, unsigned* b) { return call(&calls::power, a, b); }
EXPORTED code nvmlDeviceGetMemoryInfo_v2(device a, memory_bytes_2* b) { return call(&calls::memory_2, a, b); }
EXPORTED code nvmlDeviceGetMigMode(device a, unsigned* b, unsigned* c) { return call(&calls::mig_mode, a, b, c); }
EXPORTED code nvmlDeviceGetMaxMigDeviceCount(device a, unsigned* b) { return call(&calls::max_instances, a, b); }
EXPORTED code nvmlDeviceGetMigDeviceHandleByIndex(device a, unsigned b, device* c) {
    return call(&calls::instance, a, b, c);
}
EXPORTED code nvmlDeviceGetGpuInstanceId(device a, unsigned* b) { return call(&calls::instance_id, a, b); }
EXPORTED code nvmlDeviceGetSamples(device a, int b, std::uint64_t c, int* d, unsigned* e, timed_sample* f) {
    return call(&calls::samples, a, b, c, d, e, f);
}
EXPORTED code nvmlDeviceGetTotalEnergyConsumption(device a, std::uint64_t* b) { return call(&calls::energy, a, b); }
EXPORTED code nvmlDeviceGetEnforcedPowerLimit(device a, unsigned* b) { return call(&calls::power_limit, a, b); }
EXPORTED code nvmlDeviceGetCurrentClocksEventReasons(device a, std::uint64_t* b) {
    return call(&calls::clock_reasons, a, b);
}
EXPORTED code nvmlDeviceGetTotalEccErrors(device a, unsigned b, unsigned c, std::uint64_t* d) {
    return call(&calls::ecc_errors, a, b, c, d);
}
EXPORTED code nvmlDeviceGetProcessUtilization(device a, process_sample* b, unsigned* c, std::uint64_t d) {
    return call(&calls::process_samples, a, b, c, d);
}
EXPORTED code nvmlDeviceGetComputeRunningProcesses_v3(device a, unsigned* b, process_memory* c) {
    return call(&calls::processes, a, b, c);
}
EXPORTED code nvmlEventSetCreate(event_set* a) { return call(&calls::new_event_set, a); }
EXPORTED code nvmlEventSetFree(event_set a) { return call(&calls::free_event_set, a); }
EXPORTED code nvmlDeviceRegisterEvents(device a, std::uint64_t b, event_set c) {
    return call(&calls::register_events, a, b, c);
}
EXPORTED code nvmlEventSetWait_v2(event_set a, event_data* b, unsigned c) { return call(&calls::wait_event, a, b, c); }
EXPORTED code nvmlGpmQueryDeviceSupport(device a, gpm_support* b) { return call(&calls::gpm_supported, a, b); }
EXPORTED code nvmlGpmSampleAlloc(gpm_sample_handle* a) { return call(&calls::gpm_new, a); }
EXPORTED code nvmlGpmSampleFree(gpm_sample_handle a) { return call(&calls::gpm_free, a); }
EXPORTED code nvmlGpmSampleGet(device a, gpm_sample_handle b) { return call(&calls::gpm_take, a, b); }
EXPORTED code nvmlGpmMigSampleGet(device a, unsigned b, gpm_sample_handle c) {
    return call(&calls::gpm_take_of_instance, a, b, c);
}
EXPORTED code nvmlGpmMetricsGet(gpm_request* a) { return call(&calls::gpm_compute, a); }
// NOLINTEND
