// Translates calls and codes of AMD SMI to those of calls.hpp.
#include "base/process.hpp"
#include "source/gpu/amd/amd.hpp"
#include "source/gpu/nvml.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace gputide::source::amd {

namespace {

using nvml::code;
using nvml::device;

functions smi;              // guarded by the driver, which serializes the calls
std::vector<handle> found;  // GPUs in the library's order

struct same_meaning {
    status own;
    code common;
};

// Codes of amdsmi_status_t.
constexpr std::array meanings_in_common = {
    same_meaning{success, nvml::ok},           same_meaning{1, nvml::invalid_argument},
    same_meaning{2, nvml::not_supported},      same_meaning{3, nvml::not_supported},
    same_meaning{8, nvml::timed_out},          same_meaning{10, nvml::no_permission},
    same_meaning{31, nvml::not_found},         same_meaning{32, nvml::uninitialized},
    same_meaning{34, nvml::driver_not_loaded},
};
constexpr code first_of_others = 1'000;  // above NVML's codes; the library's own code is added
constexpr status max_status = 0xFFFF;    // larger values are the two general errors

code common_code(status said) {
    for (const same_meaning& names : meanings_in_common) {
        if (names.own == said) return names.common;
    }
    return first_of_others + static_cast<code>(std::min(said, max_status));
}

code amd_code(code said) {
    if (said >= first_of_others) return said - first_of_others;
    for (const same_meaning& names : meanings_in_common) {
        if (names.common == said) return static_cast<code>(names.own);
    }
    return said;
}

code init() { return common_code(smi.init(only_gpus)); }

code shut_down() { return common_code(smi.shut_down()); }

const char* text_of_code(code said) {
    const char* out = nullptr;
    return smi.status_text(static_cast<status>(amd_code(said)), &out) == success ? out : nullptr;
}

// Returns all handles: a call with a null pointer returns their count, the next one fills them in.
template <class Call>
status all_of(std::vector<handle>& into, Call call) {
    std::uint32_t count = 0;
    if (const status said = call(&count, nullptr); said != success) return said;
    std::vector<handle> handles(count);
    if (const status said = count == 0 ? success : call(&count, handles.data()); said != success) return said;
    handles.resize(std::min<std::size_t>(count, handles.size()));
    into.insert(into.end(), handles.begin(), handles.end());
    return success;
}

code count_gpus(unsigned* into) {
    found.clear();
    std::vector<handle> sockets;
    if (const status said = all_of(sockets, smi.sockets); said != success) return common_code(said);
    for (handle socket : sockets) {
        const auto of_socket = [socket](std::uint32_t* count, handle* to) { return smi.processors(socket, count, to); };
        if (const status said = all_of(found, of_socket); said != success) return common_code(said);
    }
    *into = static_cast<unsigned>(found.size());
    return nvml::ok;
}

code gpu_at(unsigned index, device* into) {
    if (index >= found.size()) return nvml::not_found;
    *into = reinterpret_cast<device>(found[index]);
    return nvml::ok;
}

code uuid_of_gpu(device gpu, char* into, unsigned size) { return common_code(smi.uuid(gpu, &size, into)); }

code name_of_gpu(device gpu, char* into, unsigned size) {
    alignas(std::uint64_t) asic_buffer got{};
    const status said = smi.asic(gpu, got.data());
    if (said == success) std::memcpy(into, got.data(), std::min<std::size_t>(size, got.size()));
    return common_code(said);
}

code activity(device gpu, nvml::busy_percent* into) {
    engine_usage got;
    const status said = smi.activity(gpu, &got);
    if (said == success) *into = {got.gfx, got.memory};
    return common_code(said);
}

code video_memory_of(device gpu, nvml::memory_bytes* into) {
    status said = smi.memory_total(gpu, video_memory, &into->total);
    if (said == success) said = smi.memory_used(gpu, video_memory, &into->used);
    into->free = into->total - std::min(into->used, into->total);
    return common_code(said);
}

// Reads the first power value that the GPU supports.
code power_of(device gpu, unsigned* milliwatts) {
    if (smi.layout == power_layout::unknown) return nvml::not_supported;
    alignas(std::uint64_t) power_buffer got{};
    if (const status said = smi.power(gpu, got.data()); said != success) return common_code(said);
    const std::size_t first = smi.layout == power_layout::of_24 ? 0 : 2;
    for (const std::uint32_t watts : {got[first], got[first + 1]}) {
        if (watts == 0 || watts >= not_there) continue;
        *milliwatts = watts * 1'000;
        return nvml::ok;
    }
    return nvml::not_supported;
}

code energy_of(device gpu, std::uint64_t* millijoules) {
    std::uint64_t counter = 0;
    std::uint64_t time_ns = 0;
    float resolution = 0.0F;
    const status said = smi.energy(gpu, &counter, &resolution, &time_ns);
    if (said == success && !(resolution > 0.0F)) return nvml::not_supported;
    *millijoules = static_cast<std::uint64_t>(std::llround(static_cast<double>(counter) * resolution / 1'000.0));
    return common_code(said);
}

code no_temperature(device, unsigned, unsigned*) { return nvml::not_supported; }

constexpr std::array amd_meanings = {
    nvml::code_meaning{nvml::not_supported, error_class::no_data, "this GPU does not have this metric"},
    nvml::code_meaning{nvml::no_permission, error_class::forbidden,
                       "run as a user in the groups video and render, or mount /dev/kfd and /dev/dri"},
    nvml::code_meaning{nvml::not_found, error_class::no_data, "the GPU is gone"},
    nvml::code_meaning{
        nvml::driver_not_loaded, error_class::unavailable,
        "the library exists, but the kernel module is not loaded: load amdgpu, or mount /dev/kfd and /dev/dri"},
};

constexpr std::array<std::string_view, 8> amd_metrics = {
    "gpu_utilization",    "memory_copy_utilization", "memory_used_bytes", "memory_free_bytes",
    "memory_total_bytes", "memory_used_ratio",       "power_watts",       "power_average_watts"};

}  // namespace

constinit const nvml::vendor vendor = {
    .type = "amd",
    .driver = "the AMD driver",
    .library = "AMD SMI",
    .sample = "an average by the firmware, over an interval that AMD SMI does not report",
    .when_it_hangs = "See dmesg for errors of amdgpu, and drain the node",
    .meanings = amd_meanings,
    .metrics = amd_metrics,
    .keys = keys.all(),
    .own_code = &amd_code,
};

nvml::library adapted(library from) {
    smi = from.functions;
    nvml::library out;
    out.loaded = std::move(from.loaded);
    out.calls.of = &vendor;
    out.calls.init = &init;
    out.calls.shutdown = &shut_down;
    out.calls.error_text = &text_of_code;
    out.calls.count = &count_gpus;
    out.calls.by_index = &gpu_at;
    out.calls.uuid = &uuid_of_gpu;
    out.calls.name = &name_of_gpu;
    out.calls.busy = &activity;
    out.calls.memory = &video_memory_of;
    out.calls.temperature = &no_temperature;
    out.calls.power = &power_of;
    out.calls.energy = &energy_of;
    return out;
}

// The trigger type amd: the settings of nvml, with AMD SMI as the driver.

namespace {

result<nvml::library> load_adapted() {
    auto loaded = load_library();
    if (!loaded) return loaded.take_failure();
    return adapted(*std::move(loaded));
}

// Returns the process's reader, which exists from the first open trigger to the last.
std::shared_ptr<nvml::reader> amd_reader() {
    static constinit process_wide<nvml::reader> readers;
    return *readers.get([] {
        return result<std::shared_ptr<nvml::reader>>(
            std::make_shared<nvml::reader>(std::make_shared<nvml::driver>(&load_adapted), vendor));
    });
}

}  // namespace

result<description> describe(trigger_reader& read) { return nvml::describe_gpus(read, vendor); }

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    return nvml::open_on(&amd_reader, described, services);
}

}  // namespace gputide::source::amd
