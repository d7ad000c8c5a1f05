// Measures what a usage sample costs a host: through libgputide.so alone, as any program calls it.  Prints a JSON array of results.
// Beside it the histograms of a textbook: two arrays, a logarithm and a power of two a sample.
#include "allocations.hpp"
#include "measure.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gputide/plan.h>
#include <string>

namespace gputide::bench {
namespace {

constexpr std::int64_t start_ms = 1'763'683'200'000;
constexpr std::int64_t step_ms = 15'000;
constexpr std::uint32_t batch = 64;  // what a page of a node's GPUs brings
constexpr std::uint32_t containers = 100'000;

void demand(gputide_status status, const gputide_error& error) {
    if (status == GPUTIDE_OK) return;
    std::fprintf(stderr, "rightsize_door: %s\n", error.message);
    std::exit(1);
}

// Busy between 40 and 90 %, memory rising to 40 GB and starting anew every hour.
double busy_at(std::int64_t i) { return 40.0 + static_cast<double>(i * 7 % 50); }
std::int64_t memory_at(std::int64_t i) { return 10'000'000'000 + i % 240 * 125'000'000; }

struct opened {
    opened() {
        error.struct_size = sizeof error;
        demand(gputide_rightsize_open("{}", GPUTIDE_TEXT, nullptr, &handle, &error), error);
    }
    ~opened() { gputide_rightsize_free(handle); }
    opened(const opened&) = delete;
    opened& operator=(const opened&) = delete;

    void add(std::uint32_t count) {
        demand(gputide_rightsize_add(handle, samples.data(), sizeof samples[0], count, nullptr, &error), error);
    }

    gputide_rightsize* handle = nullptr;
    gputide_error error{};
    std::array<gputide_usage_sample, batch> samples{};
};

// 64 GPUs of one workload at one time.
void fill(opened& to, std::int64_t i, std::uint32_t count) {
    for (std::uint32_t unit = 0; unit < count; ++unit) {
        gputide_usage_sample& sample = to.samples[unit];
        sample.time_ms = start_ms + i * step_ms;
        sample.unit = unit;
        sample.flags = GPUTIDE_USAGE_BUSY | GPUTIDE_USAGE_MEMORY;
        sample.busy = busy_at(i + unit);
        sample.memory_bytes = memory_at(i + unit);
    }
}

class textbook {
  public:
    void add(std::uint32_t unit, std::int64_t time_ms, double busy, double bytes) {
        const double age = static_cast<double>(time_ms - start_ms) / 86'400'000.0;
        busy_[static_cast<std::size_t>(busy)] += 0.1 * std::pow(2.0, age);
        window& of = windows_[unit];
        if (time_ms >= of.end_ms) {
            of.end_ms = time_ms + 3'600'000;
            of.peak = 0.0;
        }
        if (bytes <= of.peak) return;
        const double weight = std::pow(2.0, static_cast<double>(of.end_ms - start_ms) / 86'400'000.0);
        if (of.peak > 0.0) memory_[bucket(of.peak)] -= weight;
        memory_[bucket(bytes)] += weight;
        of.peak = bytes;
    }
    double total() const { return busy_[50] + memory_[100]; }

  private:
    struct window {
        std::int64_t end_ms = 0;
        double peak = 0.0;
    };
    static std::size_t bucket(double bytes) {
        return static_cast<std::size_t>(std::log(bytes * 0.05 / 1e7 + 1.0) / std::log(1.05));
    }

    std::array<double, 101> busy_{};
    std::array<double, 176> memory_{};
    std::array<window, batch> windows_{};
};

line sample_cost() {
    opened ours;
    const auto tick = [&](std::int64_t i) {
        fill(ours, i, batch);
        ours.add(batch);
    };
    for (std::int64_t i = 0; i < 1'000; ++i) tick(i);  // every bucket that the load reaches is there then
    const std::int64_t before = so_far().count;
    constexpr std::int64_t calls = 20'000;
    const double cost = nanoseconds_per_call(calls, [&](std::int64_t i) { tick(1'000 + i); }) / batch;
    const std::int64_t made = so_far().count - before;
    opened single;
    const double alone = nanoseconds_per_call(calls, [&](std::int64_t i) {
        fill(single, i, 1);
        single.add(1);
    });
    textbook other;
    const double baseline = nanoseconds_per_call(calls,
                                                 [&](std::int64_t i) {
                                                     for (std::uint32_t unit = 0; unit < batch; ++unit)
                                                         other.add(unit, start_ms + i * step_ms, busy_at(i + unit),
                                                                   static_cast<double>(memory_at(i + unit)));
                                                     keep(other.total());
                                                 }) /
                            batch;
    return {"rightsize_sample",
            cost,
            "ns",
            "two arrays, log and pow",
            baseline,
            "busy and memory of a GPU, 64 a call; " + std::to_string(alone) + " ns where each is a call; " +
                std::to_string(made) + " allocations in " + std::to_string(calls * batch) + " samples"};
}

std::int64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::int64_t all = 0;
    std::int64_t resident = 0;
    file >> all >> resident;
    return resident * 4096;
}

// Worst: every percent and a stretch of 60 buckets of memory is used.
line memory_of_100k(bool worst) {
    const std::int64_t before = resident_bytes();
    auto* const ours = new opened;  // freed by the system: that is not what is measured
    for (std::uint32_t i = 0; i < containers; ++i) {
        std::uint32_t number = 0;
        const std::string name = "default/workload-" + std::to_string(i) + "/main";
        demand(gputide_rightsize_container(ours->handle, name.c_str(), &number, &ours->error), ours->error);
        for (std::uint32_t k = 0; k < batch; ++k) {
            gputide_usage_sample& sample = ours->samples[k];
            sample = {};
            sample.time_ms = start_ms + std::int64_t{k} * 3'600'000;
            sample.container = number;
            sample.flags = GPUTIDE_USAGE_BUSY | GPUTIDE_USAGE_MEMORY;
            sample.busy = worst ? k * 1.6 : 40.0 + k % 30;
            sample.memory_bytes = worst ? static_cast<std::int64_t>(1e9 * std::pow(1.05, k))
                                        : 10'000'000'000 + std::int64_t{k} * 100'000'000;
        }
        ours->add(batch);
    }
    const auto mib = static_cast<double>(resident_bytes() - before) / (1 << 20);
    return {worst ? "rightsize_100k_worst_rss" : "rightsize_100k_rss",
            mib,
            "MiB",
            "",
            0.0,
            worst ? "100,000 containers, every percent and 60 buckets of memory used"
                  : "100,000 containers, 30 percents and 12 buckets of memory used"};
}

line checkpoint() {
    opened ours;
    for (std::int64_t i = 0; i < 2'000; ++i) {
        fill(ours, i, 8);
        for (std::uint32_t k = 0; k < 8; ++k) {
            ours.samples[k].busy = static_cast<double>((i * 8 + k) % 101);
            ours.samples[k].memory_bytes =
                static_cast<std::int64_t>(1e8 * std::pow(1.05, static_cast<double>((i + std::int64_t{k} * 20) % 140)));
            ours.samples[k].time_ms = start_ms + i * 3'600'000;
        }
        ours.add(8);
    }
    gputide_text text{};
    demand(gputide_rightsize_save(ours.handle, 0, start_ms, &text, &ours.error), ours.error);
    const auto bytes = static_cast<double>(text.size_bytes);
    gputide_text_free(&text);
    return {"rightsize_checkpoint_bytes", bytes, "B", "", 0.0, "8 GPUs, every percent and 140 buckets of memory used"};
}

}  // namespace
}  // namespace gputide::bench

int main() {
    using namespace gputide::bench;  // NOLINT: the program's own
    std::fputs(as_json({sample_cost(), checkpoint(), memory_of_100k(false), memory_of_100k(true)}).c_str(), stdout);
    return 0;
}
