// The energy counter.
#include "source/gpu/power.hpp"

namespace gputide::source::nvml {
namespace {

// The counter moves about ten times a second: below a second its steps would show.
constexpr std::int64_t min_energy_interval_ms = 1'000;

// mJ / ms = W
bool by_energy(const calls& calls, const gpu& gpu, std::int64_t steady_ms, past_reading& past, measured_value& out) {
    energy_state now{0, steady_ms};
    if (calls.energy == nullptr || calls.energy(gpu.handle, &now.millijoules) != ok) return false;
    if (!past.energy || now.millijoules < past.energy->millijoules) {  // the driver was loaded anew
        past.energy = now;
        return false;
    }
    const std::int64_t interval_ms = steady_ms - past.energy->steady_ms;
    if (interval_ms < min_energy_interval_ms) return false;
    out.value = static_cast<double>(now.millijoules - past.energy->millijoules) / static_cast<double>(interval_ms);
    out.read_by = read_by::energy_counter;
    out.interval_ms = interval_ms;
    past.energy = now;
    return true;
}

}  // namespace

measured_value average_power(const calls& calls, const quantity& quantity, const gpu& gpu, std::int64_t steady_ms,
                             past_reading& past) {
    measured_value out;
    out.said = gpu.problem;
    if (out.said != ok) return out;
    if (!by_energy(calls, gpu, steady_ms, past, out)) {
        unsigned milliwatts = 0;
        out.said = calls.power(gpu.handle, &milliwatts);
        out.value = milliwatts / 1000.0;
        out.read_by = read_by::single_sample;
    }
    if (out.said != ok || quantity.unit == "W") return out;
    unsigned limit_milliwatts = 0;
    out.said = calls.power_limit == nullptr ? not_supported : calls.power_limit(gpu.handle, &limit_milliwatts);
    if (out.said == ok && limit_milliwatts == 0) out.said = not_supported;
    if (out.said == ok) out.value = out.value * 1000.0 / limit_milliwatts;
    return out;
}

}  // namespace gputide::source::nvml
