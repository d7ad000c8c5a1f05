#include "support/fake_nvml.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace gputide::testing {
namespace {

using source::nvml::busy_percent;
using source::nvml::code;
using source::nvml::device;
using source::nvml::memory_bytes;
using source::nvml::memory_bytes_2;

namespace nvml = source::nvml;

constexpr std::int64_t sample_us = 200'000;  // five samples a second, 14 s of them, as on an H100
constexpr std::int64_t kept_samples = 71;

fake_nvml* now = nullptr;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fake NVML: %s\n", what);
    std::abort();
}

bool is_known(const fake_gpu* wanted) {
    for (const auto& gpu : now->gpus) {
        if (gpu.get() == wanted) return true;
        for (const auto& [position, instance] : gpu->instances) {
            if (instance.get() == wanted) return true;
        }
    }
    return false;
}

bool is_open() { return now->inits > now->shutdowns; }

// Null: the handle is none, or of something that is gone.
fake_gpu* known(device handle, const char* call) {
    must(is_open(), call);
    auto* out = reinterpret_cast<fake_gpu*>(handle);
    if (!is_known(out)) return nullptr;
    if (std::strcmp(call, "uuid") != 0 && std::strcmp(call, "name") != 0)
        now->asked.push_back(call + (" " + out->uuid));
    if (out->hangs_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(out->hangs_ms));
    return out;
}

device handle_of(const std::unique_ptr<fake_gpu>& of) { return reinterpret_cast<device>(of.get()); }

code init() {
    if (now->init_says == 0) ++now->inits;
    return now->init_says;
}

code shutdown() {
    must(is_open(), "nvmlShutdown without nvmlInit");
    ++now->shutdowns;
    return 0;
}

const char* error_text(code said) { return said == 15 ? "GPU is lost" : "a text of NVML"; }

code count(unsigned* out) {
    if (!is_open()) return source::nvml::uninitialized;
    ++now->lists;
    *out = static_cast<unsigned>(now->gpus.size());
    return 0;
}

code by_index(unsigned index, device* out) {
    must(index < now->gpus.size(), "an index behind the count");
    if (now->gpus[index]->opens != 0) return now->gpus[index]->opens;
    *out = handle_of(now->gpus[index]);
    return 0;
}

code text(const std::string& from, char* to, unsigned size) {
    must(size == nvml::text_size, "a text buffer of another size");
    if (from.size() >= size) return 7;
    std::memcpy(to, from.c_str(), from.size() + 1);
    return 0;
}

code uuid(device of, char* to, unsigned size) {
    const fake_gpu* gpu = known(of, "uuid");
    return gpu == nullptr ? 2 : text(gpu->uuid, to, size);
}

code name(device of, char* to, unsigned size) {
    const fake_gpu* gpu = known(of, "name");
    return gpu == nullptr ? 2 : text(gpu->name, to, size);
}

code busy(device of, busy_percent* out) {
    if (now->before_busy) now->before_busy();
    const fake_gpu* gpu = known(of, "busy");
    if (gpu == nullptr) return 2;
    if (gpu->mig || gpu->is_instance) return source::nvml::not_supported;
    const std::int64_t end_us = now->now_us() / sample_us * sample_us;
    const bool has_load = gpu->load.period_us > 0;
    const double share = has_load ? gpu->load.share(end_us - sample_us, end_us) : 0.0;
    *out = {has_load ? static_cast<unsigned>(std::lround(100 * share)) : gpu->busy, gpu->copies};
    return gpu->says;
}

code memory(device of, memory_bytes* out) {
    const fake_gpu* gpu = known(of, "memory");
    if (gpu == nullptr) return 2;
    *out = {gpu->total, gpu->total - gpu->used - gpu->reserved, gpu->used + gpu->reserved};
    return gpu->says;
}

code memory_2(device of, memory_bytes_2* out) {
    const fake_gpu* gpu = known(of, "memory_2");
    if (gpu == nullptr) return 2;
    if (out->version != 0x02000028U) return 25;
    out->total = gpu->total;
    out->reserved = gpu->reserved;
    out->free = gpu->total - gpu->used - gpu->reserved;
    out->used = gpu->used;
    return gpu->says;
}

code temperature(device of, unsigned sensor, unsigned* out) {
    const fake_gpu* gpu = known(of, "temperature");
    if (gpu == nullptr) return 2;
    must(sensor == 0, "an unknown sensor");
    must(!gpu->is_instance, "a number of whole GPUs asked of an instance");
    *out = gpu->celsius;
    return gpu->says;
}

code power(device of, unsigned* out) {
    const fake_gpu* gpu = known(of, "power");
    if (gpu == nullptr) return 2;
    must(!gpu->is_instance, "a number of whole GPUs asked of an instance");
    *out = gpu->milliwatts;
    return gpu->says;
}

code samples(device of, int type, std::uint64_t after_us, int* number_type, unsigned* count, nvml::timed_sample* out) {
    const fake_gpu* gpu = known(of, "samples");
    if (gpu == nullptr) return 2;
    must(type == nvml::gpu_busy_samples || type == nvml::memory_busy_samples, "an unknown type of samples");
    must(out != nullptr && *count >= kept_samples, "a buffer that is too small for the driver's samples");
    if (gpu->is_instance || gpu->mig || !gpu->has_samples) return nvml::not_supported;
    *number_type = nvml::number_is_int32;
    const unsigned constant = type == nvml::gpu_busy_samples ? gpu->busy : gpu->copies;
    const std::int64_t end_us = now->now_us() / sample_us * sample_us;
    unsigned written = 0;
    for (std::int64_t i = kept_samples - 1; i >= 0; --i) {
        const std::int64_t at_us = end_us - i * sample_us;
        const auto host_us = static_cast<std::uint64_t>(at_us + now->host_offset_us);
        if (host_us <= after_us) continue;
        const double share = gpu->load.share(at_us - sample_us, at_us);
        out[written].time_us = host_us;
        out[written++].value.int32 =
            gpu->load.period_us > 0 ? static_cast<unsigned>(std::lround(100 * share)) : constant;
    }
    *count = written;
    return written == 0 ? nvml::not_found : gpu->says;
}

// mW × µs / 1e6 = mJ
code energy(device of, std::uint64_t* out) {
    const fake_gpu* gpu = known(of, "energy");
    if (gpu == nullptr) return 2;
    must(!gpu->is_instance, "a number of whole GPUs asked of an instance");
    const double whole_us = static_cast<double>(now->now_us());
    const double active_us = gpu->load.period_us > 0 ? gpu->load.active_us(now->now_us()) : whole_us;
    *out =
        static_cast<std::uint64_t>((active_us * gpu->milliwatts + (whole_us - active_us) * gpu->idle_milliwatts) / 1e6);
    return gpu->says;
}

code power_limit(device of, unsigned* out) {
    const fake_gpu* gpu = known(of, "power_limit");
    if (gpu == nullptr) return 2;
    *out = gpu->limit_milliwatts;
    return gpu->says;
}

code clock_reasons(device of, std::uint64_t* out) {
    const fake_gpu* gpu = known(of, "clock_reasons");
    if (gpu == nullptr) return 2;
    *out = gpu->clock_reasons;
    return gpu->says;
}

code ecc_errors(device of, unsigned type, unsigned counter, std::uint64_t* out) {
    const fake_gpu* gpu = known(of, "ecc_errors");
    if (gpu == nullptr) return 2;
    must(type == 1 && counter == 0, "another ECC counter than the uncorrected ones since the driver's start");
    *out = gpu->ecc_errors;
    return gpu->says;
}

code process_samples(device of, nvml::process_sample* out, unsigned* count, std::uint64_t after_us) {
    const fake_gpu* gpu = known(of, "process_samples");
    if (gpu == nullptr) return 2;
    if (gpu->is_instance || gpu->mig) return nvml::not_supported;
    must(*count >= gpu->processes.size(), "a buffer that is too small for the processes");
    const std::int64_t end_us = now->now_us() / sample_us * sample_us;
    const auto host_us = static_cast<std::uint64_t>(end_us + now->host_offset_us);
    unsigned written = 0;
    for (const fake_process& process : gpu->processes) {
        const double share = gpu->load.share(end_us - sample_us, end_us) * process.share;
        if (host_us <= after_us || share <= 0.0) continue;
        out[written++] = {process.pid, host_us, static_cast<unsigned>(std::lround(100 * share)), 0, 0, 0};
    }
    *count = written;
    return written == 0 ? nvml::not_found : gpu->says;
}

code processes(device of, unsigned* count, nvml::process_memory* out) {
    const fake_gpu* gpu = known(of, "processes");
    if (gpu == nullptr) return 2;
    if (*count < gpu->processes.size()) return nvml::insufficient_size;
    *count = 0;
    for (const fake_process& process : gpu->processes) out[(*count)++] = {process.pid, process.memory, 0, 0};
    return gpu->says;
}

code new_event_set(nvml::event_set* out) {
    must(is_open(), "nvmlEventSetCreate without nvmlInit");
    ++now->event_sets;
    *out = reinterpret_cast<nvml::event_set>(now);
    return 0;
}

code free_event_set(nvml::event_set) {
    --now->event_sets;
    return is_open() ? 0 : nvml::uninitialized;
}

code register_events(device of, std::uint64_t types, nvml::event_set) {
    must(types == nvml::xid_event, "other events than XID errors");
    return known(of, "register_events") == nullptr ? 2 : 0;
}

code wait_event(nvml::event_set, nvml::event_data* out, unsigned timeout_ms) {
    must(timeout_ms == 0, "a reading that waits for an event");
    if (now->xids.empty()) return nvml::timed_out;
    *out = {reinterpret_cast<device>(now->xids.front().first), nvml::xid_event, now->xids.front().second, 0, 0};
    now->xids.erase(now->xids.begin());
    return 0;
}

struct fake_gpm_sample {
    const fake_gpu* of = nullptr;
    std::int64_t time_us = 0;
};

code gpm_supported(device of, nvml::gpm_support* out) {
    const fake_gpu* gpu = known(of, "gpm_supported");
    must(out->version == 1, "nvmlGpmSupport_t without its version");
    if (gpu == nullptr) return 2;
    must(!gpu->is_instance, "GPM support asked of an instance");
    out->is_supported = gpu->has_gpm ? 1 : 0;
    return 0;
}

code gpm_new(nvml::gpm_sample_handle* out) {
    must(is_open(), "nvmlGpmSampleAlloc without nvmlInit");
    ++now->gpm_live;
    *out = reinterpret_cast<nvml::gpm_sample_handle>(new fake_gpm_sample);
    return 0;
}

code gpm_free(nvml::gpm_sample_handle old) {
    --now->gpm_live;
    delete reinterpret_cast<fake_gpm_sample*>(old);
    return 0;
}

code take_sample(const fake_gpu& of, nvml::gpm_sample_handle into) {
    ++now->gpm_takes;
    if (of.gpm_says != 0) return of.gpm_says;
    *reinterpret_cast<fake_gpm_sample*>(into) = {&of, now->now_us()};
    return of.says;
}

code gpm_take(device of, nvml::gpm_sample_handle into) {
    const fake_gpu* gpu = known(of, "gpm_take");
    if (gpu == nullptr) return 2;
    must(!gpu->is_instance, "nvmlGpmSampleGet of an instance");
    return gpu->has_gpm ? take_sample(*gpu, into) : nvml::not_supported;
}

code gpm_take_of_instance(device of, unsigned id, nvml::gpm_sample_handle into) {
    const fake_gpu* gpu = known(of, "gpm_take");
    if (gpu == nullptr) return 2;
    for (const auto& [position, instance] : gpu->instances) {
        if (instance->instance_id == id) return take_sample(*instance, into);
    }
    return nvml::not_found;
}

// The use of the fake's loads while they run: percent, or MiB/s for the rates.
double while_active(unsigned metric) {
    constexpr std::pair<unsigned, double> values[] = {{1, 100},  {2, 75},   {3, 12},   {5, 70},  {10, 24},  // NOLINT
                                                      {20, 100}, {21, 200}, {60, 300}, {61, 400}};
    for (const auto& [id, value] : values) {
        if (id == metric) return value;
    }
    must(false, "a GPM metric that is not known here");
    return 0.0;
}

code gpm_compute(nvml::gpm_request* request) {
    must(request->version == 1 && request->count > 0 && request->count <= request->metrics.size(), "a GPM request");
    const auto& first = *reinterpret_cast<const fake_gpm_sample*>(request->first);
    const auto& second = *reinterpret_cast<const fake_gpm_sample*>(request->second);
    must(first.of == second.of && first.of != nullptr, "GPM samples of two GPUs");
    const fake_gpu& gpu = *second.of;
    if (second.time_us <= first.time_us) return nvml::invalid_argument;
    const double share = gpu.load.period_us > 0 ? gpu.load.share(first.time_us, second.time_us) : gpu.busy / 100.0;
    for (unsigned i = 0; i < request->count; ++i) {
        nvml::gpm_metric& metric = request->metrics[i];
        metric.said = metric.id >= 60 && !gpu.has_nvlink ? nvml::not_supported : 0;
        metric.value = share * while_active(metric.id);
    }
    return 0;
}

code mig_mode(device of, unsigned* current, unsigned* pending) {
    const auto* entry = reinterpret_cast<const fake_gpu*>(of);
    *current = entry->mig ? 1 : 0;
    *pending = *current;
    return 0;
}

code max_instances(device of, unsigned* out) {
    *out = reinterpret_cast<const fake_gpu*>(of)->mig ? 7 : 0;
    return 0;
}

code instance(device of, unsigned position, device* out) {
    const auto* entry = reinterpret_cast<const fake_gpu*>(of);
    must(position < 7, "an instance behind the count");
    const auto at = entry->instances.find(position);
    if (at == entry->instances.end()) return source::nvml::not_found;
    *out = handle_of(at->second);
    return 0;
}

code instance_id(device of, unsigned* out) {
    *out = reinterpret_cast<const fake_gpu*>(of)->instance_id;
    return 0;
}

}  // namespace

fake_gpu& fake_nvml::add(const std::string& with_uuid) {
    gpus.push_back(std::make_unique<fake_gpu>());
    gpus.back()->uuid = with_uuid;
    return *gpus.back();
}

fake_gpu& fake_nvml::add_instance(fake_gpu& to, unsigned position, const std::string& with_uuid, unsigned id) {
    to.mig = true;
    auto& slot = to.instances[position];
    slot = std::make_unique<fake_gpu>();
    slot->uuid = with_uuid;
    slot->instance_id = id;
    slot->is_instance = true;
    return *slot;
}

std::vector<std::string> fake_nvml::take_asked() { return std::exchange(asked, {}); }

std::int64_t fake_nvml::now_us() const {
    if (!is_real_time) return time_us;
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

double fake_load::active_us(std::int64_t until_us) const {
    const double busy_us = duty * static_cast<double>(period_us);
    const auto whole = static_cast<double>(until_us / period_us);
    return whole * busy_us + std::min(busy_us, static_cast<double>(until_us % period_us));
}

double fake_load::share(std::int64_t from_us, std::int64_t until_us) const {
    if (period_us == 0) return 0.0;
    return (active_us(until_us) - active_us(from_us)) / static_cast<double>(until_us - from_us);
}

source::nvml::nvml_clock clock_of(fake_nvml& from) {
    return {[&from] { return from.time_us / 1'000; }, [&from](std::int64_t pause_ms) { from.pass_ms(pause_ms); }};
}

source::nvml::calls calls_of(fake_nvml& from) {
    now = &from;
    source::nvml::calls out;
    out = {&init, &shutdown, &error_text, &count, &by_index, &uuid, &name, &busy, &memory, &temperature, &power};
    if (from.has_memory_2) out.memory_2 = &memory_2;
    if (from.has_mig) {
        out.mig_mode = &mig_mode;
        out.max_instances = &max_instances;
        out.instance = &instance;
        out.instance_id = &instance_id;
    }
    if (from.has_samples) out.samples = &samples;
    out.energy = &energy;
    out.power_limit = &power_limit;
    out.clock_reasons = &clock_reasons;
    out.ecc_errors = &ecc_errors;
    out.process_samples = &process_samples;
    out.processes = &processes;
    out.new_event_set = &new_event_set;
    out.free_event_set = &free_event_set;
    out.register_events = &register_events;
    out.wait_event = &wait_event;
    if (from.has_gpm) {
        out.gpm_supported = &gpm_supported;
        out.gpm_new = &gpm_new;
        out.gpm_free = &gpm_free;
        out.gpm_take = &gpm_take;
        out.gpm_take_of_instance = &gpm_take_of_instance;
        out.gpm_compute = &gpm_compute;
    }
    return out;
}

}  // namespace gputide::testing
