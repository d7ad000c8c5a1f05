// Measures what one reading of all GPUs of this machine costs through the library, against the bare NVML calls that it makes; of values over
// an interval see gpu_load/cost.cpp.
// Needs an NVIDIA driver; prints an empty list where there is none.
#include "source/gpu/nvml.hpp"

#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace bench = gputide::bench;
namespace nvml = gputide::source::nvml;

constexpr unsigned gpus_of_a_big_node = 8;

nvml::settings settings_of(const std::string& metric) {
    gputide::manifest::trigger from;
    from.type = "nvml";
    from.metadata = {{"metric", metric}, {"threshold", "80"}, {"reduce", "max"}};
    const gputide::manifest::trigger_rules rules;
    gputide::source::trigger_reader read(from, rules, gputide::manifest::profile::standard, nvml::keys.all(), nullptr);
    auto out = nvml::read_settings(read);
    if (!out) std::abort();
    return *std::move(out);
}

// So many handles; where the machine has fewer GPUs, each of them several times.
std::vector<nvml::device> some_handles(const nvml::calls& by, unsigned wanted, unsigned count) {
    std::vector<nvml::device> out(wanted);
    for (unsigned i = 0; i < wanted; ++i) {
        if (by.by_index(i % count, &out[i]) != nvml::ok) std::abort();
    }
    return out;
}

// The real library with a count of 8: GPUs that there are not are repeated.
unsigned real_count = 0;
nvml::calls real;
nvml::code count_eight(unsigned* out) {
    *out = gpus_of_a_big_node;
    return nvml::ok;
}
nvml::code by_index_repeated(unsigned index, nvml::device* out) { return real.by_index(index % real_count, out); }

double since_ns(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> from) {
    std::nth_element(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2), from.end());
    return from[from.size() / 2];
}

struct pair_of_times {
    double bare = 1e18;
    double ours = 1e18;
};

// As a poll meets it: NVML keeps an answer for up to a second, so that a reading later than that asks the driver.
template <class Bare, class Ours>
pair_of_times as_polled(Bare bare, Ours ours) {
    constexpr auto pause = std::chrono::milliseconds(1'100);
    const char* quick = std::getenv("GPUTIDE_BENCH_QUICK");
    const int rounds = quick != nullptr && quick == std::string("1") ? 5 : 31;
    std::vector<double> times[2];  // NOLINT(modernize-avoid-c-arrays)
    for (int round = 0; round < 2 * rounds; ++round) {
        std::this_thread::sleep_for(pause);
        const auto begin = std::chrono::steady_clock::now();
        if (round % 2 == 0) bare();
        if (round % 2 == 1) ours();
        times[round % 2].push_back(since_ns(begin));
    }
    return {median(times[0]), median(times[1])};
}

// At once again and again, where NVML answers most quantities from memory; both in turns, so that a clock that changes counts
// for both.
template <class Bare, class Ours>
pair_of_times repeated(Bare bare, Ours ours) {
    pair_of_times out;
    for (int round = 0; round < 10; ++round) {
        out.bare = std::min(out.bare, bench::nanoseconds_per_call(400, [&](std::int64_t) { bare(); }));
        out.ours = std::min(out.ours, bench::nanoseconds_per_call(400, [&](std::int64_t) { ours(); }));
    }
    return out;
}

// One reading of some quantities of the GPUs behind `handles`, each quantity reduced to a number, both ways.
class contest {
  public:
    contest(const std::vector<std::string>& metrics, nvml::driver& gpus, std::vector<nvml::device> handles)
        : gpus_(gpus), handles_(std::move(handles)) {
        for (const std::string& metric : metrics) all_.push_back(settings_of(metric));
        ours();  // opens and lists
    }

    void bare() const {
        for (const nvml::settings& by : all_) {
            for (const nvml::device handle : handles_) {
                double value = 0.0;
                if (by.quantity->read(real, handle, value) != nvml::ok) std::abort();
                bench::keep(value);
            }
        }
    }

    void ours() const {
        for (const nvml::settings& by : all_) {
            const auto got = gpus_.read({by.quantity, by.devices, 1'000, {}, nullptr});
            if (!got) std::abort();
            const auto sample = nvml::judge_readings(*got, by, gputide::source::detail::value, 1'000);
            if (sample.sample.state != gputide::sample_state::ok) std::abort();
            bench::keep(sample);
        }
    }

  private:
    nvml::driver& gpus_;
    std::vector<nvml::device> handles_;
    std::vector<nvml::settings> all_;
};

bench::line line_of(std::string name, const pair_of_times& took, std::string note) {
    bench::line out;
    out.name = std::move(name);
    out.value = took.ours;
    out.unit = "ns";
    out.baseline = "the bare NVML calls";
    out.baseline_value = took.bare;
    out.note = std::move(note);
    return out;
}

}  // namespace

int main() {
    auto loaded = nvml::load_library();
    if (!loaded || loaded->calls.init() != nvml::ok) {
        std::fprintf(stderr, "nvml_read: no NVIDIA driver here, nothing to measure\n");
        std::puts("[]");
        return 0;
    }
    real = loaded->calls;
    if (real.count(&real_count) != nvml::ok || real_count == 0) {
        std::puts("[]");
        return 0;
    }
    nvml::library eight = *loaded;
    if (real_count < gpus_of_a_big_node) {
        eight.calls.count = &count_eight;
        eight.calls.by_index = &by_index_repeated;
    }
    nvml::driver once([&loaded] { return gputide::result<nvml::library>(*loaded); });
    nvml::driver as_eight([&eight] { return gputide::result<nvml::library>(eight); });
    std::vector<bench::line> lines;
    const std::string count = std::to_string(real_count);
    const std::string of_eight = " of 8 GPUs, again and again; " + count + " of them real, the others repeated";
    const auto again = [&](const std::string& name, const std::vector<std::string>& metrics, const std::string& what) {
        const contest contest(metrics, as_eight, some_handles(real, gpus_of_a_big_node, real_count));
        const pair_of_times took = repeated([&] { contest.bare(); }, [&] { contest.ours(); });
        lines.push_back(line_of(name, took, what + of_eight));
    };
    again("nvml_read", {"memory_used_ratio", "power_watts", "temperature_celsius"}, "memory, power and temperature");
    again("nvml_read_memory", {"memory_used_ratio"}, "memory alone");
    const contest polled({"power_watts"}, once, some_handles(real, real_count, real_count));
    const pair_of_times took = as_polled([&] { polled.bare(); }, [&] { polled.ours(); });
    lines.push_back(line_of("nvml_read_polled", took, "power of " + count + " GPUs each 1.1 s, median"));
    std::fputs(bench::as_json(lines).c_str(), stdout);
    return 0;
}
