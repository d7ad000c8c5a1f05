// Loads the library with dlopen and dlsym, opens the driver, lists GPUs and measures; explains NVML's codes.
#include "source/gpu/driver.hpp"

#include "base/format_text.hpp"
#include "base/process.hpp"
#include "source/gpu/gpus.hpp"
#include "source/gpu/meter.hpp"

#include <algorithm>
#include <chrono>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

namespace {

// Instances are created and destroyed while a program runs.
constexpr std::int64_t list_again_ms = 60'000;

// Tells whether a handle is stale: its instance is gone, its GPU was reset, or the driver was shut down.
bool is_stale(code result_code) {
    return result_code == uninitialized || result_code == invalid_argument || result_code == not_found ||
           result_code == gpu_is_lost || result_code == gpu_not_found;
}

bool any_stale(const readings& readings) {
    return !readings.missing.empty() ||
           std::ranges::any_of(readings.failures, [](const measured& failure) { return is_stale(failure.said); });
}

}  // namespace

driver::~driver() { close(); }

// Returns "GPU 3 (GPU-…): GPU is lost (NVML 15); it fell off the bus: drain and reboot the node".
error driver::failure(code result_code, const std::string& doing) const {
    const vendor& from = *library_.calls.of;
    const char* text = library_.calls.error_text == nullptr ? nullptr : library_.calls.error_text(result_code);
    const auto known = std::ranges::find_if(
        from.meanings, [result_code](const code_meaning& meaning) { return meaning.said == result_code; });
    const bool is_known = known != from.meanings.end();
    const code own = from.own_code == nullptr ? result_code : from.own_code(result_code);
    std::string message =
        format_text("{}: {} ({} {})", doing, text == nullptr ? "unknown error" : text, from.library, own);
    if (is_known) message.append("; ").append(known->remedy);
    error out = fail(is_known ? known->kind : error_class::peer, std::move(message));
    out.service_code = std::to_string(own);
    return out;
}

result<void> driver::open() {
    if (library_.calls.init != nullptr) return {};
    auto loaded = load_();
    if (!loaded) return loaded.take_failure();
    library_ = *std::move(loaded);
    const code said = library_.calls.init();
    if (said == ok) {
        gpm_ = std::make_unique<gpm>(library_.calls, library_.loaded);
        health_ = std::make_unique<health>(library_.calls, library_.loaded);
        return {};
    }
    error why = failure(said, format_text("{} could not be opened", library_.calls.of->driver));
    library_ = {};
    return why;
}

void driver::forget() {
    gpm_ = nullptr;
    health_ = nullptr;
    library_ = {};
}

void driver::close() {
    gpm_ = nullptr;
    health_ = nullptr;  // frees its events before NVML is shut down
    if (library_.calls.init != nullptr) library_.calls.shutdown();
    forget();
    list_ = nullptr;
}

result<void> driver::list(std::int64_t now_ms) {
    gpu_list gpu_list = list_gpus(library_.calls);
    if (gpu_list.said == uninitialized) {  // NVML was shut down more often than it was opened
        forget();
        if (auto opened = open(); !opened) return opened;
        gpu_list = list_gpus(library_.calls);
    }
    if (gpu_list.said != ok) {
        error why = failure(gpu_list.said, "the GPUs could not be listed");
        close();
        return why;
    }
    list_ = std::make_shared<const std::vector<gpu>>(std::move(gpu_list.all));
    listed_ms_ = now_ms;
    gpm_->relisted(*list_);
    return {};
}

readings driver::measure(const reading_plan& plan) {
    readings out;
    out.list = list_;
    chosen_gpus chosen = choose(*list_, plan.devices, *plan.quantity);
    out.missing = std::move(chosen.missing);
    out.values.reserve(chosen.all.size());
    past_readings unkept;
    past_readings& past = plan.past == nullptr ? unkept : *plan.past;
    if (past.size() > list_->size()) past.clear();  // instances are gone
    meter meter(library_.calls, *gpm_, *health_, clock_, *plan.quantity, plan.processes, past);
    for (measured& value : meter.read(chosen.all)) {
        if (value.said == ok) {
            out.values.push_back(std::move(value));
            continue;
        }
        // A GPU in MIG mode or a board without NVLink does not have the value, which is not a fault of the GPU.
        const std::string owner = shown(*value.owner);
        value.why = failure(value.said,
                            value.said == not_supported ? format_text("{}: {}", owner, plan.quantity->name) : owner);
        out.failures.push_back(std::move(value));
    }
    return out;
}

result<readings> driver::read(const reading_plan& plan) {
    const std::lock_guard hold(guard_);
    if (auto opened = open(); !opened) return opened.take_failure();
    const bool is_old = list_ == nullptr || plan.now_ms - listed_ms_ >= list_again_ms || plan.now_ms < listed_ms_;
    if (is_old) {
        if (auto listed = list(plan.now_ms); !listed) return listed.take_failure();
    }
    readings out = measure(plan);
    if (is_old || !any_stale(out)) return out;
    if (auto listed = list(plan.now_ms); !listed) return listed.take_failure();
    return measure(plan);
}

nvml_clock real_clock() {
    return {[] {
                const auto since = std::chrono::steady_clock::now().time_since_epoch();
                return static_cast<std::int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
            },
            [](std::int64_t pause_ms) { std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms)); }};
}

std::shared_ptr<driver> shared_driver() {
    static constinit process_wide<driver> drivers;
    return *drivers.get([] { return result<std::shared_ptr<driver>>(std::make_shared<driver>(&load_library)); });
}

}  // namespace gputide::source::nvml
