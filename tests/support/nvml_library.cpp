// The functions that libnvidia-ml.so.1 exports, with a fake behind them.  Its GPUs come from a JSON file with its path in
// GPUTIDE_NVML_SCRIPT.
#include "source/gpu/gpus.hpp"
#include "support/fake_nvml.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <mutex>

namespace gputide::testing {
namespace {

using nlohmann::json;

void fill(fake_gpu& to, const json& from) {
    to.name = from.value("name", to.name);
    to.load = {from.value("period_ms", std::int64_t{0}) * 1'000, from.value("duty", 0.0)};
    to.busy = from.value("busy", 0U);
    to.total = from.value("memory_total", std::uint64_t{85'000'000'000});
    to.reserved = from.value("memory_reserved", std::uint64_t{600'000'000});
    to.used = from.value("memory_used", std::uint64_t{0});
    to.milliwatts = from.value("watts", 0U) * 1'000;
    to.idle_milliwatts = from.value("idle_watts", 0U) * 1'000;
    to.has_gpm = from.value("gpm", true);
    to.has_samples = from.value("samples", true);
    to.says = from.value("says", 0);
    to.gpm_says = from.value("gpm_says", 0);
    to.hangs_ms = from.value("hangs_ms", std::int64_t{0});
    const json processes = from.value("processes", json::array());
    for (const json& process : processes)
        to.processes.push_back(
            {process["pid"], process.value("memory", std::uint64_t{0}), process.value("share", 1.0)});
}

// {"gpus":[{"uuid":"GPU-0","name":"...","period_ms":1000,"duty":0.4,"busy":0,"memory_total":..,"memory_used":..,"watts":370,
// "idle_watts":70,"gpm":true,"samples":true,"says":0,"gpm_says":0,"hangs_ms":0,
// "instances":[{"uuid":"MIG-a","id":7,...}],"processes":[{"pid":1,"memory":..,"share":1}]}]}.  Without a file: no GPU.
void read_script(fake_nvml& into) {
    into.is_real_time = true;
    const char* path = std::getenv("GPUTIDE_NVML_SCRIPT");
    if (path == nullptr) return;
    std::ifstream file(path);
    const json script = json::parse(file);
    for (const json& gpu : script["gpus"]) {
        fake_gpu& to = into.add(gpu["uuid"]);
        fill(to, gpu);
        unsigned position = 0;
        const json instances = gpu.value("instances", json::array());
        for (const json& instance : instances)
            fill(into.add_instance(to, position++, instance["uuid"], instance["id"]), instance);
    }
}

}  // namespace
}  // namespace gputide::testing

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
