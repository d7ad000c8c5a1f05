// Chooses how a GPU's average is read.
#include "source/gpu/meter.hpp"

#include "base/format_text.hpp"
#include "source/gpu/driver.hpp"
#include "source/gpu/gpus.hpp"

#include <memory>

namespace gputide::source::nvml {
namespace {

// A new trigger may begin its interval at another trigger's sample, up to this old.
constexpr std::int64_t max_borrowed_ms = 60'000;
// Maximum of a percentage.  A larger value means that the counters were reset within the interval.
constexpr double max_percent = 101.0;

using sample_pointer = std::shared_ptr<const gpm_sample>;

// The samples at both ends of a GPU's interval, as far as they exist.
struct gpm_interval {
    code said = not_supported;
    sample_pointer begin, end;
};

std::int64_t length_ms(const gpm_interval& interval) {
    return interval.begin == nullptr ? 0 : interval.end->steady_ms - interval.begin->steady_ms;
}

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

// Keeps the end of this interval as the start of the next one, unless this poll came too soon for an interval of its own.
void keep(past_reading& past, const gpm_interval& interval) {
    if (past.last != nullptr && interval.begin == past.before) return;
    past.before = interval.begin;
    past.last = interval.end;
}

class averaging {
  public:
    averaging(const calls& calls, gpm& gpm, const nvml_clock& clock, const quantity& quantity, past_readings& past)
        : calls_(calls), gpm_(gpm), clock_(clock), quantity_(quantity), past_(past) {}

    std::vector<measured_value> run(const std::vector<const gpu*>& gpus) {
        std::vector<gpm_interval> intervals;
        bool waits = false;
        for (const gpu* gpu : gpus) {
            intervals.push_back(begin(*gpu));
            waits = waits || is_to_wait(*gpu, intervals.back());
        }
        if (waits) wait_for(gpus, intervals);
        std::vector<measured_value> out;
        for (std::size_t i = 0; i < gpus.size(); ++i) out.push_back(value(*gpus[i], intervals[i]));
        return out;
    }

  private:
    gpm_interval begin(const gpu& gpu) {
        gpm_interval out;
        if (quantity_.gpm == 0 || gpu.problem != ok) return out;
        out.said = gpm_.take(gpu, clock_.steady_ms(), out.end);
        if (out.said != ok) return out;
        // The driver's own samples reach further back than another trigger's sample.
        const sample_pointer borrowed = has_driver_samples(gpu) ? nullptr : gpm_.earlier(gpu);
        out.begin = begin_of(past_[gpu.uuid], borrowed, *out.end);
        return out;
    }

    bool has_driver_samples(const gpu& gpu) const {
        return quantity_.samples >= 0 && calls_.samples != nullptr && !gpu.instance;
    }

    bool is_to_wait(const gpu& gpu, const gpm_interval& interval) const {
        return interval.said == ok && interval.begin == nullptr && !has_driver_samples(gpu);
    }

    void wait_for(const std::vector<const gpu*>& gpus, std::vector<gpm_interval>& intervals) {
        clock_.pause_ms(min_gpm_interval_ms);
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            if (!is_to_wait(*gpus[i], intervals[i])) continue;
            const sample_pointer first = intervals[i].end;
            intervals[i].said = gpm_.take(*gpus[i], clock_.steady_ms(), intervals[i].end);
            if (intervals[i].said == ok && intervals[i].end != first) intervals[i].begin = first;
        }
    }

    measured_value value(const gpu& gpu, const gpm_interval& interval) {
        measured_value out;
        out.said = gpu.problem;
        if (gpu.problem != ok) return out;
        past_reading& past = past_[gpu.uuid];
        code said = interval.said;
        if (said == ok) said = interval.begin == nullptr ? not_supported : by_gpm(gpu, interval, out);
        if (interval.said == ok) keep(past, interval);
        if (said == ok) {
            past.sample_us = 0;
            return out;
        }
        if (has_driver_samples(gpu) && mean_of_samples(calls_, gpu, quantity_.samples, past.sample_us, out)) return out;
        if (quantity_.read == nullptr) {
            out.said = said;
            return out;
        }
        return single(gpu, interval.said);
    }

    // A value that cannot be read this time is a failure; a GPU that does not have the value is excluded from the average.
    code by_gpm(const gpu& gpu, const gpm_interval& interval, measured_value& out) {
        double number = 0.0;
        const code said = gpm_.value(gpu, *interval.begin, *interval.end, quantity_.gpm, number);
        if (said != ok) return said == invalid_argument ? not_supported : said;  // a metric that a newer driver has
        if (quantity_.unit == "%" && number > max_percent) return unknown_error;
        out.value = number * quantity_.gpm_factor;
        out.read_by = read_by::gpm;
        out.interval_ms = length_ms(interval);
        return ok;
    }

    measured_value single(const gpu& gpu, code gpm_said) const {
        measured_value out;
        out.said = quantity_.read(calls_, gpu.handle, out.value);
        out.read_by = read_by::single_sample;
        out.note = format_text(
            "{}: {} is {}: with a load in bursts it can be anything from 0 to 100. This GPU has no average over the "
            "interval{}; scale on power_average_watts, or poll more often and smooth over time",
            shown(gpu), quantity_.name, calls_.of->sample,
            gpm_said == no_permission ? " for this user (NVreg_RestrictProfilingToAdminUsers)" : "");
        return out;
    }

    const calls& calls_;
    gpm& gpm_;
    const nvml_clock& clock_;
    const quantity& quantity_;
    past_readings& past_;
};

}  // namespace

std::vector<measured_value> averaged_values(const calls& calls, gpm& gpm, const nvml_clock& clock,
                                            const quantity& quantity, const std::vector<const gpu*>& gpus,
                                            past_readings& past) {
    return averaging(calls, gpm, clock, quantity, past).run(gpus);
}

}  // namespace gputide::source::nvml
