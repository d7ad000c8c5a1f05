// Reads the values of a poll; chooses how a GPU's average is read.
#include "source/gpu/meter.hpp"

#include "base/format_text.hpp"

#include <utility>

namespace gputide::source::nvml {

namespace {

// A new trigger may begin its interval at another trigger's sample, up to this old.
constexpr std::int64_t max_borrowed_ms = 60'000;
// Maximum of a percentage.  A larger value means that the counters were reset within the interval.
constexpr double max_percent = 101.0;

using sample_pointer = std::shared_ptr<const gpm_sample>;

sample_pointer begin_of(const past_reading& past, const sample_pointer& earlier, const gpm_sample& end) {
    const auto is_apart = [&end](const sample_pointer& sample) {
        return sample != nullptr && end.steady_ms - sample->steady_ms >= min_gpm_interval_ms;
    };
    if (is_apart(past.last)) return past.last;
    if (is_apart(past.before)) return past.before;
    if (past.last == nullptr && is_apart(earlier) && end.steady_ms - earlier->steady_ms <= max_borrowed_ms)
        return earlier;
    return nullptr;
}

}  // namespace

std::vector<measured> meter::read(const std::vector<const gpu*>& gpus) {
    if (quantity_.kind == reading_kind::averaged) return averages(gpus);
    std::vector<measured> out;
    for (const gpu* gpu : gpus) {
        const std::size_t first = out.size();
        switch (quantity_.kind) {
            case reading_kind::energy:
                out.push_back(average_power(*gpu));
                break;
            case reading_kind::health:
                out.push_back(quantity_.name == "throttled" ? health_.throttled(*gpu) : health_.unhealthy(*gpu));
                break;
            case reading_kind::process:
                add_processes(*gpu, out);
                break;
            case reading_kind::instant:
            case reading_kind::averaged:
                out.push_back(at_once(*gpu));
                break;
        }
        for (std::size_t i = first; i < out.size(); ++i) out[i].owner = gpu;
    }
    return out;
}

measured meter::at_once(const gpu& gpu) const {
    measured out;
    out.said = gpu.problem == ok ? quantity_.read(calls_, gpu.handle, out.value) : gpu.problem;
    return out;
}

std::vector<measured> meter::averages(const std::vector<const gpu*>& gpus) {
    std::vector<gpm_interval> intervals;
    bool waits = false;
    for (const gpu* gpu : gpus) {
        intervals.push_back(begin(*gpu));
        waits = waits || is_to_wait(*gpu, intervals.back());
    }
    if (waits) wait_for(gpus, intervals);
    std::vector<measured> out;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        out.push_back(average(*gpus[i], intervals[i]));
        out.back().owner = gpus[i];
    }
    return out;
}

meter::gpm_interval meter::begin(const gpu& gpu) {
    gpm_interval out;
    if (quantity_.gpm == 0 || gpu.problem != ok) return out;
    out.said = gpm_.take(gpu, clock_.steady_ms(), out.end);
    if (out.said != ok) return out;
    // The driver's own samples reach further back than another trigger's sample.
    const sample_pointer borrowed = has_driver_samples(gpu) ? nullptr : gpm_.earlier(gpu);
    out.begin = begin_of(past_[gpu.uuid], borrowed, *out.end);
    return out;
}

bool meter::has_driver_samples(const gpu& gpu) const {
    return quantity_.samples >= 0 && calls_.samples != nullptr && !gpu.instance;
}

bool meter::is_to_wait(const gpu& gpu, const gpm_interval& interval) const {
    return interval.said == ok && interval.begin == nullptr && !has_driver_samples(gpu);
}

void meter::wait_for(const std::vector<const gpu*>& gpus, std::vector<gpm_interval>& intervals) {
    clock_.pause_ms(min_gpm_interval_ms);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        if (!is_to_wait(*gpus[i], intervals[i])) continue;
        const sample_pointer first = intervals[i].end;
        intervals[i].said = gpm_.take(*gpus[i], clock_.steady_ms(), intervals[i].end);
        if (intervals[i].said == ok && intervals[i].end != first) intervals[i].begin = first;
    }
}

measured meter::average(const gpu& gpu, const gpm_interval& interval) {
    measured out;
    out.said = gpu.problem;
    if (gpu.problem != ok) return out;
    past_reading& past = past_[gpu.uuid];
    code said = interval.said;
    if (said == ok) said = interval.begin == nullptr ? not_supported : by_gpm(gpu, interval, out);
    // Keeps the end of this interval as the start of the next one, unless this poll came too soon for an interval of its own.
    if (interval.said == ok && (past.last == nullptr || interval.begin != past.before)) {
        past.before = interval.begin;
        past.last = interval.end;
    }
    if (said == ok) {
        past.sample_us = 0;
        return out;
    }
    if (has_driver_samples(gpu) && mean_of_samples(gpu, past.sample_us, out)) return out;
    if (quantity_.read == nullptr) {
        out.said = said;
        return out;
    }
    return single(gpu, interval.said);
}

// A value that cannot be read this time is a failure; a GPU that does not have the value is excluded from the average.
code meter::by_gpm(const gpu& gpu, const gpm_interval& interval, measured& out) {
    double number = 0.0;
    const code said = gpm_.value(gpu, *interval.begin, *interval.end, quantity_.gpm, number);
    if (said != ok) return said == invalid_argument ? not_supported : said;  // a metric that a newer driver has
    if (quantity_.unit == "%" && number > max_percent) return unknown_error;
    out.value = number * quantity_.gpm_factor;
    out.read_by = read_by::gpm;
    out.interval_ms = interval.end->steady_ms - interval.begin->steady_ms;
    return ok;
}

measured meter::single(const gpu& gpu, code gpm_said) const {
    measured out;
    out.said = quantity_.read(calls_, gpu.handle, out.value);
    out.read_by = read_by::single_sample;
    out.note = format_text(
        "{}: {} is {}: with a load in bursts it can be anything from 0 to 100. This GPU has no average over the "
        "interval{}; scale on power_average_watts, or poll more often and smooth over time",
        shown(gpu), quantity_.name, calls_.of->sample,
        gpm_said == no_permission ? " for this user (NVreg_RestrictProfilingToAdminUsers)" : "");
    return out;
}

}  // namespace gputide::source::nvml
