// Timing for the benchmarks: the best of several rounds, and the result line that bench/run.sh collects.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace gputide::bench {

// Nanoseconds per call of work(i): the least of many short rounds, each well within a time slice, so that what else runs on
// the machine does not count.
template <class Work>
double nanoseconds_per_call(std::int64_t calls, Work work) {
    constexpr std::int64_t rounds = 200;
    const std::int64_t each = std::max<std::int64_t>(calls / rounds, 1);
    double best = std::numeric_limits<double>::max();
    for (std::int64_t round = 0; round < rounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (std::int64_t i = 0; i < each; ++i) work(round * each + i);
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count() / static_cast<double>(each));
    }
    return best;
}

// Keeps a value alive so that the work that made it is not optimized away.
template <class Value>
void keep(const Value& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

struct line {
    std::string name;
    double value = 0.0;
    std::string unit;
    std::string baseline;  // "": none
    double baseline_value = 0.0;
    std::string note;
    bool more_is_better = false;  // bytes per second and the like
};

// [{"name","value","unit","baseline","baseline_value","ratio","note"},...]; ratio above 1: better than the baseline.
inline std::string as_json(const std::vector<line>& lines) {
    std::string out = "[";
    for (const line& entry : lines) {
        if (out.size() > 1) out += ",";
        const double time_ratio = entry.baseline.empty() || entry.value <= 0 ? 0.0 : entry.baseline_value / entry.value;
        const double ratio = entry.more_is_better && time_ratio > 0 ? 1.0 / time_ratio : time_ratio;
        out +=
            "\n{\"name\":\"" + entry.name + "\",\"value\":" + std::to_string(entry.value) + ",\"unit\":\"" + entry.unit;
        out += "\",\"baseline\":\"" + entry.baseline + "\",\"baseline_value\":" + std::to_string(entry.baseline_value);
        out += ",\"ratio\":" + std::to_string(ratio) + ",\"note\":\"" + entry.note + "\"}";
    }
    return out + "\n]\n";
}

}  // namespace gputide::bench
