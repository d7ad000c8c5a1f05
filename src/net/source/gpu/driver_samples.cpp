// Reading the driver's buffer of samples.
#include "source/gpu/driver_samples.hpp"

#include "base/format_text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <vector>

namespace gputide::source::nvml {
namespace {

// 71 on an H100 with driver 580, and 120 in nvml.h's own description.
constexpr unsigned max_samples = 512;
constexpr std::int64_t us_per_ms = 1'000;

struct sample_series {
    code said = ok;
    int number_type = number_is_int32;
    std::vector<timed_sample> all;  // by time
};

sample_series samples_after(const calls& calls, device gpu, int type, std::uint64_t after_us) {
    sample_series out;
    unsigned count = max_samples;
    out.all.resize(count);
    out.said = calls.samples(gpu, type, after_us, &out.number_type, &count, out.all.data());
    out.all.resize(out.said == ok ? std::min(count, max_samples) : 0);
    std::erase_if(out.all, [](const timed_sample& sample) { return sample.time_us == 0; });
    std::sort(out.all.begin(), out.all.end(),
              [](const timed_sample& a, const timed_sample& b) { return a.time_us < b.time_us; });
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

// Each sample stands for the time since the one before it; of the first one that is as long as of the others.
std::int64_t covered_ms(const std::vector<timed_sample>& all) {
    const auto gaps = static_cast<std::int64_t>(all.size()) - 1;
    if (gaps < 1) return 0;
    const std::int64_t span_ms = between_ms(all.front().time_us, all.back().time_us);
    return span_ms + span_ms / gaps;
}

void average(const sample_series& from, measured_value& out) {
    double sum = 0.0;
    for (const timed_sample& sample : from.all) sum += number_of(sample, from.number_type);
    out.value = sum / static_cast<double>(from.all.size());
    out.read_by = read_by::driver_samples;
    out.interval_ms = covered_ms(from.all);
}

}  // namespace

bool mean_of_samples(const calls& calls, const gpu& gpu, int type, std::uint64_t& newest_us, measured_value& out) {
    const std::uint64_t before_us = newest_us;
    sample_series fresh = samples_after(calls, gpu.handle, type, before_us);
    // Nothing newer: the poll came within one sample of the last one, or the host's clock was set back.
    const bool is_nothing_newer = before_us != 0 && fresh.all.empty() && (fresh.said == ok || fresh.said == not_found);
    if (is_nothing_newer) {
        fresh = samples_after(calls, gpu.handle, type, 0);
        if (!fresh.all.empty() && fresh.all.back().time_us >= before_us)
            fresh.all.erase(fresh.all.begin(), fresh.all.end() - 1);
    }
    if (fresh.all.empty()) return false;
    newest_us = fresh.all.back().time_us;
    average(fresh, out);
    if (before_us == 0) return true;
    if (newest_us < before_us) {
        out.note =
            format_text("{}: the host's clock was set back by {}; the value stands for all samples of the driver",
                        shown(gpu), format_duration_ms(between_ms(newest_us, before_us)));
    } else if (const std::int64_t whole_ms = between_ms(before_us, newest_us);
               out.interval_ms > 0 && out.interval_ms < whole_ms - whole_ms / 4) {
        out.note = format_text(
            "{}: the driver keeps samples of the last {}, and the last poll was {} before: the value "
            "does not stand for the rest. Poll more often",
            shown(gpu), format_duration_ms(out.interval_ms), format_duration_ms(whole_ms));
    }
    return true;
}

}  // namespace gputide::source::nvml
