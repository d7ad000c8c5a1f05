// Takes GPM samples and computes values from two of them.
#include "source/gpu/meter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gputide::source::nvml {
namespace {

// Requests all metrics in one call, because its cost hardly depends on their number.
void fill_metrics(gpm_request& request) {
    request.count = 0;
    for (const quantity& quantity : quantities()) {
        if (quantity.gpm != 0) request.metrics[request.count++].id = quantity.gpm;
    }
}

}  // namespace

void gpm::relisted(const std::vector<gpu>& list) {
    std::erase_if(known_, [&list](const auto& entry) {
        return std::ranges::none_of(list, [&entry](const gpu& gpu) { return gpu.uuid == entry.first; });
    });
    for (auto& [uuid, state] : known_) state.is_asked = false;
}

code gpm::supports(const gpu& gpu, gpu_state& state) const {
    if (!std::exchange(state.is_asked, true)) {
        gpm_support support;
        const code said = calls_.gpm_supported(gpu.whole, &support);
        state.support = said == ok && support.is_supported == 0 ? not_supported : said;
    }
    return state.support;
}

std::shared_ptr<gpm_sample_type> gpm::new_sample(code& said) const {
    gpm_sample_handle handle = nullptr;
    said = calls_.gpm_new(&handle);
    if (said != ok) return nullptr;
    return {handle, [loaded = loaded_, free = calls_.gpm_free](gpm_sample_handle old) { free(old); }};
}

code gpm::take(const gpu& gpu, std::int64_t steady_ms, std::shared_ptr<const gpm_sample>& into) {
    if (!calls_.has_gpm() || (gpu.instance && calls_.gpm_take_of_instance == nullptr)) return not_supported;
    gpu_state& state = known_[gpu.uuid];
    if (const code said = supports(gpu, state); said != ok) return said;
    if (state.latest == nullptr || steady_ms - state.latest->steady_ms >= gpm_refresh_ms) {
        code said = ok;
        auto fresh = std::make_shared<gpm_sample>(gpm_sample{new_sample(said), steady_ms});
        if (said != ok) return said;
        said = gpu.instance ? calls_.gpm_take_of_instance(gpu.whole, gpu.instance_id, fresh->handle.get())
                            : calls_.gpm_take(gpu.handle, fresh->handle.get());
        if (said != ok) return said;
        state.earlier = std::exchange(state.latest, std::move(fresh));
    }
    into = state.latest;
    return ok;
}

std::shared_ptr<const gpm_sample> gpm::earlier(const gpu& gpu) const {
    const auto known = known_.find(gpu.uuid);
    return known == known_.end() ? nullptr : known->second.earlier;
}

// Computes all metrics.  On a GPU without one of them (NVLink) the whole call may fail: then requests only the wanted metric.
code gpm::compute(gpu_state& state, const gpm_sample& first, const gpm_sample& second, unsigned metric) const {
    if (state.first == first.handle && state.second == second.handle) return ok;
    state.first = nullptr;
    gpm_request& request = state.computed;
    fill_metrics(request);
    request.first = first.handle.get();
    request.second = second.handle.get();
    if (calls_.gpm_compute(&request) == ok) {
        state.first = first.handle;
        state.second = second.handle;
        return ok;
    }
    request.count = 1;
    request.metrics[0].id = metric;
    return calls_.gpm_compute(&request);
}

code gpm::value(const gpu& gpu, const gpm_sample& first, const gpm_sample& second, unsigned metric, double& into) {
    gpu_state& state = known_[gpu.uuid];
    if (const code said = compute(state, first, second, metric); said != ok) return said;
    const auto end = state.computed.metrics.begin() + state.computed.count;
    const auto found = std::find_if(state.computed.metrics.begin(), end,
                                    [metric](const gpm_metric& entry) { return entry.id == metric; });
    if (found == end) return not_supported;
    if (found->said != ok) return found->said;
    if (!std::isfinite(found->value) || found->value < 0.0) return not_supported;
    into = found->value;
    return ok;
}

namespace {

// The counter changes about ten times a second: over less than a second its steps would be visible.
constexpr std::int64_t min_energy_interval_ms = 1'000;

// Computes power from energy: mJ / ms = W.
bool by_energy(const calls& calls, const gpu& gpu, std::int64_t steady_ms, past_reading& past, measured_value& out) {
    energy_state now{0, steady_ms};
    if (calls.energy == nullptr || calls.energy(gpu.handle, &now.millijoules) != ok) return false;
    if (!past.energy || now.millijoules < past.energy->millijoules) {  // the driver was reloaded
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
