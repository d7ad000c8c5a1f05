// Lists and chooses GPUs; the table of quantities.
#include "source/gpu/gpus.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "source/gpu/nvml.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <string_view>

namespace gputide::source::nvml {
namespace {

using text_call = code (*)(device, char*, unsigned);

std::string text_of(text_call call, device gpu) {
    std::array<char, text_size> buffer{};
    if (call(gpu, buffer.data(), text_size) != ok) return {};
    buffer.back() = '\0';
    return buffer.data();
}

bool is_in_mig_mode(const calls& calls, device gpu) {
    if (calls.mig_mode == nullptr || calls.max_instances == nullptr || calls.instance == nullptr) return false;
    unsigned now = 0;
    unsigned after_reset = 0;
    return calls.mig_mode(gpu, &now, &after_reset) == ok && now == 1;
}

// Adds a GPU's instances.  A position without an instance may be followed by others.
void add_instances(const calls& calls, const gpu& whole, std::vector<gpu>& gpus) {
    unsigned max_count = 0;
    if (calls.max_instances(whole.handle, &max_count) != ok) return;
    for (unsigned position = 0; position < max_count; ++position) {
        gpu gpu;
        if (calls.instance(whole.handle, position, &gpu.handle) != ok) continue;
        gpu.whole = whole.handle;
        gpu.index = whole.index;
        gpu.instance = position;
        gpu.uuid = text_of(calls.uuid, gpu.handle);
        gpu.name = whole.name;
        if (calls.instance_id != nullptr) calls.instance_id(gpu.handle, &gpu.instance_id);
        gpus.push_back(std::move(gpu));
    }
}

std::optional<unsigned> small_number(std::string_view text) {
    const bool digits = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    const auto number = digits ? parse_int64(text) : std::nullopt;
    if (!number || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return static_cast<unsigned>(*number);
}

// Tells whether it is a UUID without prefix, as AMD uses it: "29ff74a1-0000-1000-80b5-c2d1f5a0e8c4".
bool is_bare_uuid(std::string_view text) {
    constexpr std::size_t uuid_size = 36;
    return text.size() == uuid_size && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';
}

bool fits(const gpu& gpu, const wanted_gpu& wanted) {
    if (!wanted.uuid.empty()) return equal_ignoring_case(gpu.uuid, wanted.uuid);
    return gpu.index == wanted.index && gpu.instance == wanted.instance;
}

const gpu* whole_gpu(const std::vector<gpu>& gpus, unsigned index) {
    const auto at = std::ranges::find_if(gpus, [index](const gpu& gpu) { return gpu.index == index && !gpu.instance; });
    return at == gpus.end() ? nullptr : &*at;
}

void add_once(const gpu* gpu, chosen_gpus& chosen_gpus) {
    if (gpu != nullptr && std::ranges::find(chosen_gpus.all, gpu) == chosen_gpus.all.end())
        chosen_gpus.all.push_back(gpu);
}

// Adds the GPU or instance from which the quantity is read.
void add(const std::vector<gpu>& from, const gpu& entry, const quantity& quantity, chosen_gpus& to) {
    if (!quantity.of_instance) return add_once(whole_gpu(from, entry.index), to);
    if (!entry.in_mig_mode) return add_once(&entry, to);
    for (const gpu& other : from) {
        if (other.index == entry.index && other.instance) add_once(&other, to);
    }
}

}  // namespace

gpu_list list_gpus(const calls& calls) {
    gpu_list out;
    unsigned count = 0;
    out.said = calls.count(&count);
    if (out.said != ok) return out;
    for (unsigned index = 0; index < count; ++index) {
        gpu gpu;
        gpu.index = index;
        gpu.problem = calls.by_index(index, &gpu.handle);
        if (gpu.problem == ok) {
            gpu.whole = gpu.handle;
            gpu.uuid = text_of(calls.uuid, gpu.handle);
            gpu.name = text_of(calls.name, gpu.handle);
            gpu.in_mig_mode = is_in_mig_mode(calls, gpu.handle);
        }
        out.all.push_back(gpu);
        if (gpu.in_mig_mode) add_instances(calls, gpu, out.all);
    }
    return out;
}

std::optional<wanted_gpu> parse_wanted(std::string_view text) {
    wanted_gpu out;
    out.text = text;
    if (starts_with_ignoring_case(text, "GPU-") || starts_with_ignoring_case(text, "MIG-") || is_bare_uuid(text)) {
        out.uuid = text;
        return out;
    }
    const std::size_t colon = text.find(':');
    out.index = small_number(text.substr(0, colon));
    if (colon != std::string_view::npos) out.instance = small_number(text.substr(colon + 1));
    if (!out.index || (colon != std::string_view::npos && !out.instance)) return std::nullopt;
    return out;
}

chosen_gpus choose(const std::vector<gpu>& gpus, const std::vector<wanted_gpu>& wanted, const quantity& quantity) {
    chosen_gpus out;
    if (wanted.empty()) {
        for (const gpu& gpu : gpus) {
            if (!gpu.instance) add(gpus, gpu, quantity, out);
        }
        return out;
    }
    for (const wanted_gpu& entry : wanted) {
        const auto at = std::ranges::find_if(gpus, [&entry](const gpu& here) { return fits(here, entry); });
        if (at == gpus.end()) {
            out.missing.push_back(entry.text);
        } else {
            add(gpus, *at, quantity, out);
        }
    }
    return out;
}

std::string shown(const gpu& gpu) {
    const std::string index = std::to_string(gpu.index);
    std::string out = gpu.instance ? format_text("MIG instance {}:{}", index, *gpu.instance) : "GPU " + index;
    if (!gpu.uuid.empty()) out += format_text(" ({})", gpu.uuid);
    return out;
}

// The table of quantities.

namespace {

// Reads memory, without the part reserved by driver and firmware if the driver supports that: used / (used + free) is then the
// used share of the memory available to programs, like DCGM's FB_USED and FB_FREE.
code memory_of(const calls& calls, device gpu, memory_bytes& memory_bytes) {
    if (calls.memory_2 != nullptr) {
        memory_bytes_2 got;
        const code said = calls.memory_2(gpu, &got);
        if (said == ok) memory_bytes = {got.total, got.free, got.used};
        if (said != not_supported && said != function_not_found) return said;
    }
    return calls.memory(gpu, &memory_bytes);
}

// Returns 60750 / 81000 = 0.75 for 60750 MiB used and 20250 MiB free.
double used_ratio(const memory_bytes& memory) {
    const auto used = static_cast<double>(memory.used);
    const double whole = used + static_cast<double>(memory.free);
    return whole > 0.0 ? used / whole : 0.0;
}

// Reads a part of the memory: a member, or a function of it.
template <auto Part>
code memory(const calls& calls, device gpu, double& into) {
    memory_bytes got;
    const code said = memory_of(calls, gpu, got);
    if (said == ok) into = static_cast<double>(std::invoke(Part, got));
    return said;
}

template <unsigned busy_percent::*Part>
code busy(const calls& calls, device gpu, double& into) {
    constexpr unsigned whole_percent = 100;  // larger: AMD's firmware marks a value that the GPU does not have
    busy_percent got;
    const code said = calls.busy(gpu, &got);
    if (said == ok) into = got.*Part;
    return said == ok && got.*Part > whole_percent ? not_supported : said;
}

code power(const calls& calls, device gpu, double& into) {
    unsigned milliwatts = 0;
    const code said = calls.power(gpu, &milliwatts);
    into = milliwatts / 1000.0;
    return said;
}

code temperature(const calls& calls, device gpu, double& into) {
    unsigned celsius = 0;
    const code said = calls.temperature(gpu, gpu_die_sensor, &celsius);
    into = celsius;
    return said;
}

constexpr quantity at_once(std::string_view name, std::string_view unit, bool of_instance,
                           code (*read)(const calls&, device, double&)) {
    return {.name = name, .unit = unit, .of_instance = of_instance, .read = read};
}

constexpr quantity by_gpm(std::string_view name, std::string_view unit, unsigned metric, double factor = 1) {
    return {.name = name,
            .unit = unit,
            .of_instance = true,
            .kind = reading_kind::averaged,
            .gpm = metric,
            .gpm_factor = factor};
}

constexpr quantity of_kind(std::string_view name, std::string_view unit, bool of_instance, reading_kind kind) {
    return {.name = name, .unit = unit, .of_instance = of_instance, .kind = kind};
}

constexpr double bytes_per_mib = 1'048'576.0;

// The numbers for GPM are NVML_GPM_METRIC_* in nvml.h; its rates are in MiB/s.
constexpr std::array table = {
    quantity{.name = "gpu_utilization",
             .unit = "%",
             .of_instance = true,
             .kind = reading_kind::averaged,
             .read = &busy<&busy_percent::gpu>,
             .gpm = 1,
             .samples = gpu_busy_samples},
    quantity{.name = "memory_copy_utilization",
             .unit = "%",
             .kind = reading_kind::averaged,
             .read = &busy<&busy_percent::memory>,
             .samples = memory_busy_samples},
    by_gpm("sm_active", "%", 2),
    by_gpm("sm_occupancy", "%", 3),
    by_gpm("tensor_active", "%", 5),
    by_gpm("dram_active", "%", 10),
    by_gpm("pcie_transmit_bytes_per_second", "bytes/s", 20, bytes_per_mib),
    by_gpm("pcie_receive_bytes_per_second", "bytes/s", 21, bytes_per_mib),
    by_gpm("nvlink_receive_bytes_per_second", "bytes/s", 60, bytes_per_mib),
    by_gpm("nvlink_transmit_bytes_per_second", "bytes/s", 61, bytes_per_mib),
    at_once("memory_used_bytes", "bytes", true, &memory<&memory_bytes::used>),
    at_once("memory_free_bytes", "bytes", true, &memory<&memory_bytes::free>),
    at_once("memory_total_bytes", "bytes", true, &memory<&memory_bytes::total>),
    at_once("memory_used_ratio", "0 to 1", true, &memory<&used_ratio>),
    at_once("power_watts", "W", false, &power),
    of_kind("power_average_watts", "W", false, reading_kind::energy),
    of_kind("power_ratio", "0 to 1", false, reading_kind::energy),
    at_once("temperature_celsius", "°C", false, &temperature),
    of_kind("throttled", "0 or 1", false, reading_kind::health),
    of_kind("unhealthy", "0 or 1", false, reading_kind::health),
    of_kind("process_utilization", "%", true, reading_kind::process),
    of_kind("process_memory_bytes", "bytes", true, reading_kind::process),
};

}  // namespace

std::span<const quantity> quantities() { return table; }

const quantity* quantity_named(std::string_view name) {
    for (const quantity& quantity : table) {
        if (quantity.name == name) return &quantity;
    }
    return nullptr;
}

namespace {

constexpr code_meaning nvml_meanings[] = {
    // NOLINT(modernize-avoid-c-arrays)
    {not_supported, error_class::no_data, "this GPU does not have this metric"},
    {no_permission, error_class::forbidden,
     "run as a user who may open /dev/nvidia*, or mount the device; for GPM metrics run as root or with CAP_SYS_ADMIN, "
     "or load the module with NVreg_RestrictProfilingToAdminUsers=0"},
    {not_found, error_class::no_data, "the GPU or instance is gone"},
    {driver_not_loaded, error_class::unavailable,
     "the library exists, but the kernel module is not loaded: load the nvidia module, or mount the devices"},
    {library_not_found, error_class::unavailable, "install the driver"},
    {gpu_is_lost, error_class::transient, "it fell off the bus: drain and reboot the node"},
    {reset_required, error_class::transient, "reset it (nvidia-smi --gpu-reset), or reboot the node"},
    {version_mismatch, error_class::transient,
     "the driver was upgraded while this process was running: reload the kernel module or reboot, then restart the "
     "process"},
    {gpu_not_found, error_class::no_data, "the GPU is gone"},
};

}  // namespace

constinit const vendor nvidia = {
    .type = "nvml",
    .driver = "the NVIDIA driver",
    .library = "NVML",
    .sample = "only the driver's last sample (1/6 to 1 s)",
    .when_it_hangs = "See dmesg for Xid errors, and drain the node",
    .meanings = nvml_meanings,
    .metrics = {},
    .keys = keys.all(),
};

const quantity* vendor::quantity_named(std::string_view name) const {
    if (!metrics.empty() && std::ranges::find(metrics, name) == metrics.end()) return nullptr;
    return nvml::quantity_named(name);
}

bool vendor::has_key(std::string_view name) const {
    return std::ranges::any_of(keys, [name](const text::field& row) { return row.names.has(name); });
}

}  // namespace gputide::source::nvml
