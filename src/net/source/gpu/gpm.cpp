// Averages over an interval: from two GPM samples, from the energy counter, and of the driver's own samples.
#include "base/format_text.hpp"
#include "base/stable_order.hpp"
#include "base/time.hpp"
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

}  // namespace

// Computes power from energy: mJ / ms = W.
bool meter::by_energy(const gpu& gpu, past_reading& past, measured& out) const {
    energy_state now{0, clock_.steady_ms()};
    if (calls_.energy == nullptr || calls_.energy(gpu.handle, &now.millijoules) != ok) return false;
    if (!past.energy || now.millijoules < past.energy->millijoules) {  // the driver was reloaded
        past.energy = now;
        return false;
    }
    const std::int64_t interval_ms = now.steady_ms - past.energy->steady_ms;
    if (interval_ms < min_energy_interval_ms) return false;
    out.value = static_cast<double>(now.millijoules - past.energy->millijoules) / static_cast<double>(interval_ms);
    out.read_by = read_by::energy_counter;
    out.interval_ms = interval_ms;
    past.energy = now;
    return true;
}

measured meter::average_power(const gpu& gpu) {
    measured out;
    out.said = gpu.problem;
    if (out.said != ok) return out;
    if (!by_energy(gpu, past_[gpu.uuid], out)) {
        unsigned milliwatts = 0;
        out.said = calls_.power(gpu.handle, &milliwatts);
        out.value = milliwatts / 1000.0;
        out.read_by = read_by::single_sample;
    }
    if (out.said != ok || quantity_.unit == "W") return out;
    unsigned limit_milliwatts = 0;
    out.said = calls_.power_limit == nullptr ? not_supported : calls_.power_limit(gpu.handle, &limit_milliwatts);
    if (out.said == ok && limit_milliwatts == 0) out.said = not_supported;
    if (out.said == ok) out.value = out.value * 1000.0 / limit_milliwatts;
    return out;
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

void take_mean(const sample_series& from, measured& out) {
    double sum = 0.0;
    for (const timed_sample& sample : from.all) sum += number_of(sample, from.number_type);
    out.value = sum / static_cast<double>(from.all.size());
    out.read_by = read_by::driver_samples;
    out.interval_ms = covered_ms(from.all);
}

}  // namespace

bool meter::mean_of_samples(const gpu& gpu, std::uint64_t& newest_us, measured& out) const {
    const std::uint64_t before_us = newest_us;
    sample_series fresh = samples_after(calls_, gpu.handle, quantity_.samples, before_us);
    // No newer sample: this poll came within one sample period of the last one, or the host's clock was set back.
    const bool is_nothing_newer = before_us != 0 && fresh.all.empty() && (fresh.said == ok || fresh.said == not_found);
    if (is_nothing_newer) {
        fresh = samples_after(calls_, gpu.handle, quantity_.samples, 0);
        if (!fresh.all.empty() && fresh.all.back().time_us >= before_us)
            fresh.all.erase(fresh.all.begin(), fresh.all.end() - 1);
    }
    if (fresh.all.empty()) return false;
    newest_us = fresh.all.back().time_us;
    take_mean(fresh, out);
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
