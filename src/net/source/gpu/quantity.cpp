// The table of quantities.
#include "source/gpu/gpus.hpp"
#include "source/gpu/nvml.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace gputide::source::nvml {
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
