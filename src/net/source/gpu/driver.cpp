// Loads the library with dlopen and dlsym, opens the driver, lists GPUs and measures; explains NVML's codes.
#include "source/gpu/driver.hpp"

#include "base/format_text.hpp"
#include "base/process.hpp"
#include "base/stable_order.hpp"
#include "base/time.hpp"
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
           std::ranges::any_of(readings.failures, [](const unmeasured& failure) { return is_stale(failure.said); });
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

void driver::add(readings& to, const quantity& quantity, const gpu& gpu, measured_value value) const {
    if (value.said == ok) {
        to.values.push_back({std::move(value), &gpu});
        return;
    }
    // A GPU in MIG mode or a board without NVLink does not have the value, which is not a fault of the GPU.
    const std::string doing = format_text("{}: {}", shown(gpu), quantity.name);
    to.failures.push_back({&gpu, value.said, failure(value.said, value.said == not_supported ? doing : shown(gpu))});
}

// Reads values of every kind except `averaged`, which is read for all GPUs together.
std::vector<measured_value> driver::values_of(const reading_plan& plan, const gpu& gpu, past_reading& past) {
    const quantity& quantity = *plan.quantity;
    switch (quantity.kind) {
        case reading_kind::energy:
            return {average_power(library_.calls, quantity, gpu, clock_.steady_ms(), past)};
        case reading_kind::health:
            return {quantity.name == "throttled" ? health_->throttled(gpu) : health_->unhealthy(gpu)};
        case reading_kind::process:
            return process_values(
                library_.calls, quantity, gpu, plan.processes, [](unsigned pid) { return read_identity("/proc", pid); },
                past);
        case reading_kind::instant:
        case reading_kind::averaged:
            break;
    }
    measured_value out;
    out.said = gpu.problem == ok ? quantity.read(library_.calls, gpu.handle, out.value) : gpu.problem;
    return {out};
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
    if (plan.quantity->kind == reading_kind::averaged) {
        std::vector<measured_value> values =
            averaged_values(library_.calls, *gpm_, clock_, *plan.quantity, chosen.all, past);
        for (std::size_t i = 0; i < values.size(); ++i) add(out, *plan.quantity, *chosen.all[i], std::move(values[i]));
        return out;
    }
    for (const gpu* gpu : chosen.all) {
        for (measured_value& value : values_of(plan, *gpu, past[gpu->uuid]))
            add(out, *plan.quantity, *gpu, std::move(value));
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

namespace {

// 71 on an H100 with driver 580, and 120 in the description in nvml.h.
constexpr unsigned max_samples = 512;
constexpr std::int64_t us_per_ms = 1'000;

struct sample_series {
    code said = ok;
    int number_type = number_is_int32;
    std::vector<timed_sample> all;  // in time order
};

sample_series samples_after(const calls& calls, device gpu, int type, std::uint64_t after_us) {
    sample_series out;
    unsigned count = max_samples;
    out.all.resize(count);
    out.said = calls.samples(gpu, type, after_us, &out.number_type, &count, out.all.data());
    out.all.resize(out.said == ok ? std::min(count, max_samples) : 0);
    std::erase_if(out.all, [](const timed_sample& sample) { return sample.time_us == 0; });
    sort_stably(out.all, [](const timed_sample& a, const timed_sample& b) { return a.time_us < b.time_us; });
    return out;
}

double number_of(const timed_sample& sample, int type) {
    if (type == number_is_floating) return sample.value.floating;
    if (type == number_is_int32) return sample.value.int32;
    return static_cast<double>(sample.value.int64);
}

std::int64_t between_ms(std::uint64_t from_us, std::uint64_t to_us) {
    return static_cast<std::int64_t>(to_us - from_us) / us_per_ms;
}

// Returns the time that the samples cover: each one covers the time since the previous one, and the first as much as the others
// on average.
std::int64_t covered_ms(const std::vector<timed_sample>& all) {
    const auto gaps = static_cast<std::int64_t>(all.size()) - 1;
    if (gaps < 1) return 0;
    const std::int64_t span_ms = between_ms(all.front().time_us, all.back().time_us);
    return span_ms + span_ms / gaps;
}

void average(const sample_series& from, measured_value& out) {
    double sum = 0.0;
    for (const timed_sample& sample : from.all) sum += number_of(sample, from.number_type);
    out.value = sum / static_cast<double>(from.all.size());
    out.read_by = read_by::driver_samples;
    out.interval_ms = covered_ms(from.all);
}

}  // namespace

bool mean_of_samples(const calls& calls, const gpu& gpu, int type, std::uint64_t& newest_us, measured_value& out) {
    const std::uint64_t before_us = newest_us;
    sample_series fresh = samples_after(calls, gpu.handle, type, before_us);
    // No newer sample: this poll came within one sample period of the last one, or the host's clock was set back.
    const bool is_nothing_newer = before_us != 0 && fresh.all.empty() && (fresh.said == ok || fresh.said == not_found);
    if (is_nothing_newer) {
        fresh = samples_after(calls, gpu.handle, type, 0);
        if (!fresh.all.empty() && fresh.all.back().time_us >= before_us)
            fresh.all.erase(fresh.all.begin(), fresh.all.end() - 1);
    }
    if (fresh.all.empty()) return false;
    newest_us = fresh.all.back().time_us;
    average(fresh, out);
    if (before_us == 0) return true;
    if (newest_us < before_us) {
        out.note = format_text("{}: the host's clock was set back by {}; the value covers all samples of the driver",
                               shown(gpu), format_duration_ms(between_ms(newest_us, before_us)));
    } else if (const std::int64_t whole_ms = between_ms(before_us, newest_us);
               out.interval_ms > 0 && out.interval_ms < whole_ms - whole_ms / 4) {
        out.note = format_text(
            "{}: the driver keeps samples of the last {}, and the last poll was {} ago: the value does not cover the "
            "rest of the time. Poll more often",
            shown(gpu), format_duration_ms(out.interval_ms), format_duration_ms(whole_ms));
    }
    return true;
}

}  // namespace gputide::source::nvml
