// The table of quantities.
#include "source/nvml/quantity.hpp"

#include <array>

namespace gputide::source::nvml {
namespace {

// The form without what driver and firmware reserve, where the driver has it: used / (used + free) is then what programs
// hold of what they could hold, as DCGM's FB_USED and FB_FREE have it.
code memory_of(const calls& by, device of, memory_bytes& into) {
    if (by.memory_2 != nullptr) {
        memory_bytes_2 got;
        const code said = by.memory_2(of, &got);
        if (said == ok) into = {got.total, got.free, got.used};
        if (said != not_supported && said != function_not_found) return said;
    }
    return by.memory(of, &into);
}

template <class Part>
code memory_part(const calls& by, device of, double& into, Part part) {
    memory_bytes got;
    const code said = memory_of(by, of, got);
    if (said == ok) into = part(got);
    return said;
}

template <class Part>
code busy_part(const calls& by, device of, double& into, Part part) {
    busy_percent got;
    const code said = by.busy(of, &got);
    if (said == ok) into = part(got);
    return said;
}

double as_double(std::uint64_t bytes) { return static_cast<double>(bytes); }

// 60750 MiB used, 20250 MiB free → 60750 / 81000 = 0.75
double used_ratio(const memory_bytes& from) {
    const double whole = as_double(from.used) + as_double(from.free);
    return whole > 0.0 ? as_double(from.used) / whole : 0.0;
}

constexpr std::array table = {
    quantity{"gpu_utilization", "%", false,
             [](const calls& by, device of, double& into) {
                 return busy_part(by, of, into, [](const busy_percent& got) { return static_cast<double>(got.gpu); });
             }},
    quantity{"memory_copy_utilization", "%", false,
             [](const calls& by, device of, double& into) {
                 return busy_part(by, of, into,
                                  [](const busy_percent& got) { return static_cast<double>(got.memory); });
             }},
    quantity{"memory_used_bytes", "bytes", true,
             [](const calls& by, device of, double& into) {
                 return memory_part(by, of, into, [](const memory_bytes& got) { return as_double(got.used); });
             }},
    quantity{"memory_free_bytes", "bytes", true,
             [](const calls& by, device of, double& into) {
                 return memory_part(by, of, into, [](const memory_bytes& got) { return as_double(got.free); });
             }},
    quantity{"memory_total_bytes", "bytes", true,
             [](const calls& by, device of, double& into) {
                 return memory_part(by, of, into, [](const memory_bytes& got) { return as_double(got.total); });
             }},
    quantity{"memory_used_ratio", "0 to 1", true,
             [](const calls& by, device of, double& into) { return memory_part(by, of, into, &used_ratio); }},
    quantity{"power_watts", "W", false,
             [](const calls& by, device of, double& into) {
                 unsigned milliwatts = 0;
                 const code said = by.power(of, &milliwatts);
                 into = milliwatts / 1000.0;
                 return said;
             }},
    quantity{"temperature_celsius", "°C", false,
             [](const calls& by, device of, double& into) {
                 unsigned celsius = 0;
                 const code said = by.temperature(of, gpu_die_sensor, &celsius);
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
