// Chooses how a GPU's average is read, and reads the usage of each process.
#include "source/gpu/meter.hpp"

#include "base/format_text.hpp"
#include "source/gpu/driver.hpp"
#include "source/gpu/gpus.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

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

// Parses the cgroup names of container runtimes and the kubelet (kubernetes/kubernetes pkg/kubelet/cm/cgroup_manager_linux.go:
// pod<UID>, with '_' for '-' under systemd; the runtime's own folder ends in the container's ID).

namespace {

constexpr std::size_t container_id_size = 64;
constexpr std::size_t uid_size = 36;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Returns the last run of exactly 64 hexadecimal digits.
std::string container_of(std::string_view text) {
    std::size_t end = text.size();
    while (end > 0) {
        const std::size_t last = end - 1;
        if (!is_hex(text[last])) {
            end = last;
            continue;
        }
        std::size_t begin = last;
        while (begin > 0 && is_hex(text[begin - 1])) --begin;
        if (end - begin == container_id_size) return std::string(text.substr(begin, container_id_size));
        end = begin;
    }
    return {};
}

bool is_uid(std::string_view text) {
    if (text.size() < uid_size) return false;
    for (std::size_t i = 0; i < uid_size; ++i) {
        const bool is_border = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_border ? text[i] != '-' && text[i] != '_' : !is_hex(text[i])) return false;
    }
    return true;
}

std::string pod_of(std::string_view text) {
    constexpr std::string_view mark = "pod";
    for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
        const std::string_view rest = text.substr(at + mark.size());
        if (!is_uid(rest)) continue;
        std::string out(rest.substr(0, uid_size));
        std::replace(out.begin(), out.end(), '_', '-');
        return out;
    }
    return {};
}

}  // namespace

process_identity identity_of(std::string_view cgroup_text) { return {container_of(cgroup_text), pod_of(cgroup_text)}; }

namespace {

constexpr unsigned max_processes = 256;  // MPS has up to 48 clients, time-slicing some dozens of pods
constexpr std::uint64_t memory_unknown = ~std::uint64_t{0};

measured_value failed_with(code said) {
    measured_value out;
    out.said = said;
    return out;
}

code running(const calls& calls, device gpu, std::vector<process_memory>& into) {
    if (calls.processes == nullptr) return not_supported;
    into.resize(max_processes);
    unsigned count = max_processes;
    const code said = calls.processes(gpu, &count, into.data());
    into.resize(said == ok ? std::min(count, max_processes) : 0);
    return said;
}

// Computes the usage of each process since a time; the mean of its samples if there are several.
code busy_by_pid(const calls& calls, device gpu, std::uint64_t& newest_us, std::map<unsigned, double>& into) {
    if (calls.process_samples == nullptr) return not_supported;
    std::vector<process_sample> all(std::size_t{max_processes} * 4);
    auto count = static_cast<unsigned>(all.size());
    const code said = calls.process_samples(gpu, all.data(), &count, newest_us);
    if (said == not_found) return ok;  // no process ran a kernel
    if (said != ok) return said;
    all.resize(std::min<std::size_t>(count, all.size()));
    std::set<std::uint64_t> periods;
    std::map<unsigned, unsigned> times;
    bool has_several = false;
    for (const process_sample& sample : all) {
        if (sample.time_us == 0) continue;
        into[sample.pid] += sample.sm;
        has_several = ++times[sample.pid] > 1 || has_several;
        periods.insert(sample.time_us);
        newest_us = std::max(newest_us, sample.time_us);
    }
    if (!has_several) return ok;
    for (auto& [pid, sum] : into) sum /= static_cast<double>(periods.size());
    return ok;
}

extra_labels labels_of(unsigned pid, const process_identity& identity) {
    extra_labels out = {{"pid", std::to_string(pid)}};
    if (!identity.container_id.empty()) out.emplace_back("container_id", identity.container_id);
    if (!identity.pod_uid.empty()) out.emplace_back("pod_uid", identity.pod_uid);
    return out;
}

}  // namespace

bool process_filter::takes(unsigned pid, const process_identity& identity) const {
    if (pids.empty() && containers.empty()) return true;
    if (std::ranges::find(pids, pid) != pids.end()) return true;
    return std::ranges::any_of(containers, [&identity](const std::string& beginning) {
        return !identity.container_id.empty() && identity.container_id.compare(0, beginning.size(), beginning) == 0;
    });
}

process_identity read_identity(const std::string& proc, unsigned pid) {
    const std::string path = proc + "/" + std::to_string(pid) + "/cgroup";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
    if (file == nullptr) return {};
    std::array<char, 16'384> buffer{};
    const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), file.get());
    return identity_of({buffer.data(), size});
}

std::vector<measured_value> process_values(const calls& calls, const quantity& quantity, const gpu& gpu,
                                           const process_filter& filter, identity_reader identity, past_reading& past) {
    if (gpu.problem != ok) return {failed_with(gpu.problem)};
    std::vector<process_memory> all;
    if (const code said = running(calls, gpu.handle, all); said != ok) return {failed_with(said)};
    const bool is_memory = quantity.unit == "bytes";
    std::map<unsigned, double> busy;
    if (!is_memory) {
        const code said = busy_by_pid(calls, gpu.handle, past.process_us, busy);
        if (said != ok) return {failed_with(said)};
    }
    std::vector<measured_value> out;
    for (const process_memory& process : all) {
        const process_identity who = identity(process.pid);
        if (!filter.takes(process.pid, who)) continue;
        measured_value value;
        value.labels = labels_of(process.pid, who);
        value.value = is_memory ? static_cast<double>(process.used) : busy[process.pid];
        if (is_memory && process.used == memory_unknown) value.said = not_supported;
        out.push_back(std::move(value));
    }
    return out;
}

}  // namespace gputide::source::nvml
