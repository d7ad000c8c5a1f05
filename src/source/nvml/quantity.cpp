// The table of quantities.
#include "source/nvml/quantity.hpp"

#include <array>

namespace gputide::source::nvml {
namespace {

// The form without what driver and firmware reserve, where the driver has it: used / (used + free) is then what programs
// hold of what they could hold, as DCGM's FB_USED and FB_FREE have it.
code memory_of(const calls& calls, device gpu, memory_bytes& memory_bytes) {
    if (calls.memory_2 != nullptr) {
        memory_bytes_2 got;
        const code said = calls.memory_2(gpu, &got);
        if (said == ok) memory_bytes = {got.total, got.free, got.used};
        if (said != not_supported && said != function_not_found) return said;
    }
    return calls.memory(gpu, &memory_bytes);
}

template <class Part>
code memory_part(const calls& calls, device gpu, double& into, Part part) {
    memory_bytes memory_bytes;
    const code said = memory_of(calls, gpu, memory_bytes);
    if (said == ok) into = part(memory_bytes);
    return said;
}

template <class Part>
code busy_part(const calls& calls, device gpu, double& into, Part part) {
    busy_percent busy_percent;
    const code said = calls.busy(gpu, &busy_percent);
    if (said == ok) into = part(busy_percent);
    return said;
}

double as_double(std::uint64_t bytes) { return static_cast<double>(bytes); }

// 60750 MiB used, 20250 MiB free → 60750 / 81000 = 0.75
double used_ratio(const memory_bytes& memory_bytes) {
    const double whole = as_double(memory_bytes.used) + as_double(memory_bytes.free);
    return whole > 0.0 ? as_double(memory_bytes.used) / whole : 0.0;
}

constexpr std::array table = {
    quantity{"gpu_utilization", "%", false,
             [](const calls& calls, device gpu, double& into) {
                 return busy_part(calls, gpu, into, [](const busy_percent& busy_percent) {
                     return static_cast<double>(busy_percent.gpu);
                 });
             }},
    quantity{"memory_copy_utilization", "%", false,
             [](const calls& calls, device gpu, double& into) {
                 return busy_part(calls, gpu, into, [](const busy_percent& busy_percent) {
                     return static_cast<double>(busy_percent.memory);
                 });
             }},
    quantity{"memory_used_bytes", "bytes", true,
             [](const calls& calls, device gpu, double& into) {
                 return memory_part(calls, gpu, into,
                                    [](const memory_bytes& memory_bytes) { return as_double(memory_bytes.used); });
             }},
    quantity{"memory_free_bytes", "bytes", true,
             [](const calls& calls, device gpu, double& into) {
                 return memory_part(calls, gpu, into,
                                    [](const memory_bytes& memory_bytes) { return as_double(memory_bytes.free); });
             }},
    quantity{"memory_total_bytes", "bytes", true,
             [](const calls& calls, device gpu, double& into) {
                 return memory_part(calls, gpu, into,
                                    [](const memory_bytes& memory_bytes) { return as_double(memory_bytes.total); });
             }},
    quantity{"memory_used_ratio", "0 to 1", true,
             [](const calls& calls, device gpu, double& into) { return memory_part(calls, gpu, into, &used_ratio); }},
    quantity{"power_watts", "W", false,
             [](const calls& calls, device gpu, double& into) {
                 unsigned milliwatts = 0;
                 const code said = calls.power(gpu, &milliwatts);
                 into = milliwatts / 1000.0;
                 return said;
             }},
    quantity{"temperature_celsius", "°C", false,
             [](const calls& calls, device gpu, double& into) {
                 unsigned celsius = 0;
                 const code said = calls.temperature(gpu, gpu_die_sensor, &celsius);
                 into = celsius;
                 return said;
             }},
};

}  // namespace

std::span<const quantity> quantities() { return table; }

const quantity* quantity_named(std::string_view name) {
    for (const quantity& one : table) {
        if (one.name == name) return &one;
    }
    return nullptr;
}

}  // namespace gputide::source::nvml
