// Reads the values of a poll; chooses how a GPU's average is read; tells whether a GPU is throttled or unhealthy.
#include "source/gpu/meter.hpp"

#include "base/format_text.hpp"

#include <algorithm>
#include <array>
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

// Reads whether a GPU is throttled or unhealthy.

namespace {

struct clock_reason {
    std::uint64_t bit;
    std::string_view name;
};

// nvml.h, nvmlClocksEventReason*.  Omits idle clocks and clocks set by an administrator, which are normal.
constexpr std::array reasons = {
    clock_reason{0x04, "sw_power_cap"}, clock_reason{0x08, "hw_slowdown"},         clock_reason{0x10, "sync_boost"},
    clock_reason{0x20, "sw_thermal"},   clock_reason{0x40, "hw_thermal_slowdown"}, clock_reason{0x80, "hw_power_brake"},
};

// XIDs caused by a program, after which the GPU works normally (NVIDIA/k8s-device-plugin internal/rm/health.go,
// getHealthCheckXids).
constexpr std::array<std::uint64_t, 6> program_faults = {13, 31, 43, 45, 68, 109};

constexpr int max_events_at_once = 64;

void add_text(std::string& to, std::string_view text) {
    if (!to.empty()) to += ',';
    to += text;
}

measured flag_of(const gpu& gpu, const std::string& why, std::string_view what) {
    measured out;
    out.value = why.empty() ? 0.0 : 1.0;
    out.labels.emplace_back("reasons", why);
    if (!why.empty()) out.note = format_text("{} is {}: {}", shown(gpu), what, why);
    return out;
}

}  // namespace

health::~health() {
    if (events_ != nullptr) calls_.free_event_set(events_);
}

measured health::throttled(const gpu& gpu) const {
    measured out;
    std::uint64_t mask = 0;
    out.said = gpu.problem != ok                 ? gpu.problem
               : calls_.clock_reasons == nullptr ? not_supported
                                                 : calls_.clock_reasons(gpu.handle, &mask);
    if (out.said != ok) return out;
    std::string why;
    for (const clock_reason& reason : reasons) {
        if ((mask & reason.bit) != 0) add_text(why, reason.name);
    }
    return flag_of(gpu, why, "throttled");
}

void health::listen(const gpu& gpu) {
    if (!calls_.has_events() || heard_.contains(gpu.handle)) return;
    if (events_ == nullptr && calls_.new_event_set(&events_) != ok) return;
    if (calls_.register_events(gpu.handle, xid_event, events_) == ok) heard_.insert(gpu.handle);
}

void health::hear() {
    event_data event;
    for (int i = 0; events_ != nullptr && i < max_events_at_once; ++i) {
        if (calls_.wait_event(events_, &event, 0) != ok) return;
        const bool is_program = std::ranges::find(program_faults, event.data) != program_faults.end();
        if (event.type == xid_event && !is_program) xids_[event.of].insert(event.data);
    }
}

measured health::unhealthy(const gpu& gpu) {
    if (gpu.problem == gpu_is_lost) return flag_of(gpu, "lost", "unhealthy");
    if (gpu.problem == reset_required) return flag_of(gpu, "reset_required", "unhealthy");
    measured out;
    out.said = gpu.problem;
    if (out.said != ok) return out;
    listen(gpu);
    hear();
    std::string why;
    std::uint64_t errors = 0;
    const code said = calls_.ecc_errors == nullptr
                          ? not_supported
                          : calls_.ecc_errors(gpu.handle, uncorrected_errors, volatile_counter, &errors);
    if (said == gpu_is_lost) add_text(why, "lost");
    if (said == reset_required) add_text(why, "reset_required");
    if (said == ok && errors > 0) add_text(why, "uncorrected_ecc=" + std::to_string(errors));
    for (const std::uint64_t xid : xids_[gpu.handle]) add_text(why, "xid=" + std::to_string(xid));
    if (why.empty() && said == not_supported && !heard_.contains(gpu.handle)) out.said = not_supported;
    return out.said == ok ? flag_of(gpu, why, "unhealthy") : out;
}

}  // namespace gputide::source::nvml
