// What one reading of all GPUs of this machine costs through the library, against the bare NVML calls that it makes.
// Needs an NVIDIA driver; prints an empty list where there is none.
#include "measure.hpp"
#include "source/nvml/judge.hpp"

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
    gputide::config::trigger from;
    from.type = "nvml";
    from.metadata = {{"metric", metric}, {"threshold", "80"}, {"reduce", "max"}};
    auto out = nvml::read_settings(from, {}, nullptr);
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
    const int rounds = std::getenv("GPUTIDE_BENCH_QUICK") == std::string("1") ? 5 : 31;
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

void measure(const std::string& metric, nvml::driver& gpus, const std::vector<nvml::device>& handles, bool polled,
             const std::string& note, std::vector<bench::line>& into) {
    const nvml::settings by = settings_of(metric);
    const auto bare = [&] {
        for (const nvml::device one : handles) {
            double value = 0.0;
            if (by.quantity->read(real, one, value) != nvml::ok) std::abort();
            bench::keep(value);
        }
    };
    const auto ours = [&] {
        const auto got = gpus.read(*by.quantity, by.devices, 1'000);
        if (!got) std::abort();
        const auto sample = nvml::judge_readings(*got, by, 1'000);
        if (sample.sample.state != gputide::sample_state::ok) std::abort();
        bench::keep(sample);
    };
    ours();  // opens and lists
    const pair_of_times took = polled ? as_polled(bare, ours) : repeated(bare, ours);
    bench::line& line = into.emplace_back();
    line.name = std::string(polled ? "nvml_read" : "nvml_read_again") + "_" + metric;
    line.value = took.ours;
    line.unit = "ns";
    line.baseline = "the bare NVML calls";
    line.baseline_value = took.bare;
    line.note = note;
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
    for (const char* metric : {"gpu_utilization", "memory_used_ratio", "power_watts"}) {
        measure(metric, once, some_handles(real, real_count, real_count), true,
                count + " GPUs, a reading each 1.1 s, median", lines);
        measure(metric, as_eight, some_handles(real, gpus_of_a_big_node, real_count), false,
                "8 GPUs at once again, " + count + " of them real, the others repeated", lines);
    }
    std::fputs(bench::as_json(lines).c_str(), stdout);
    return 0;
}
