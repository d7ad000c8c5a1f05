// NVIDIA's names and codes.
#include "source/gpu/vendor.hpp"

#include "source/gpu/keys.hpp"

#include <algorithm>

namespace gputide::source::nvml {
namespace {

constexpr code_meaning nvml_meanings[] = {
    // NOLINT(modernize-avoid-c-arrays)
    {not_supported, error_class::no_data, "this GPU does not have that number"},
    {no_permission, error_class::forbidden,
     "run as a user who may open /dev/nvidia*, or map the device in; for the metrics of GPM run as root or with "
     "CAP_SYS_ADMIN, or load the module with NVreg_RestrictProfilingToAdminUsers=0"},
    {not_found, error_class::no_data, "the GPU or instance is gone"},
    {driver_not_loaded, error_class::unavailable,
     "the library is there and the kernel module is not: load the nvidia module, or map the devices in"},
    {library_not_found, error_class::unavailable, "install the driver"},
    {gpu_is_lost, error_class::transient, "it fell off the bus: drain and reboot the node"},
    {reset_required, error_class::transient, "reset it (nvidia-smi --gpu-reset), or reboot the node"},
    {version_mismatch, error_class::transient,
     "the driver was upgraded under this process: reload the kernel module or reboot, then start it anew"},
    {gpu_not_found, error_class::no_data, "the GPU is gone"},
};

}  // namespace

constinit const vendor nvidia = {
    .type = "nvml",
    .driver = "the NVIDIA driver",
    .library = "NVML",
    .sample = "the driver's last sample alone (1/6 to 1 s)",
    .when_it_hangs = "See dmesg for Xid errors, and drain the node",
    .meanings = nvml_meanings,
    .metrics = {},
    .keys = keys.all(),
};

const quantity* vendor::quantity_named(std::string_view name) const {
    if (!metrics.empty() && std::find(metrics.begin(), metrics.end(), name) == metrics.end()) return nullptr;
    return nvml::quantity_named(name);
}

bool vendor::has_key(std::string_view name) const {
    return std::any_of(keys.begin(), keys.end(), [name](const config::field& row) { return row.names.has(name); });
}

}  // namespace gputide::source::nvml
