// The load that the decision benchmarks share, and their baseline: a textbook pass driven through time.
#pragma once

#include "measure.hpp"
#include "textbook_hpa.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gputide::bench {

inline constexpr std::int64_t start_ms = 1'800'000'000'000;
inline constexpr std::int64_t poll_ms = 15'000;
inline constexpr std::int64_t calls = 200'000;
inline constexpr const char* baseline_name = "textbook HPA pass with vectors, maps and strings, same program";

// A load that wanders by one replica or two, as a warm service's does: most polls change nothing.
inline double load_at(std::int64_t i) {
    return 40.0 + static_cast<double>((i * 37) % 11) + static_cast<double>(i / 100 % 2) * 6;
}

struct textbook_scaler {
    explicit textbook_scaler(const std::vector<std::string>& names) {
        for (const std::string& name : names) of.targets[name] = 5.0;
        of.up.policies = {{"Pods", 4, 15}, {"Percent", 100, 15}};
        of.down.window_s = 300;
        of.down.policies = {{"Percent", 100, 15}};
    }

    void tick(std::int64_t) {
        std::map<std::string, double> metrics;
        for (const auto& [name, target] : of.targets)
            metrics[name] = load_at(at + static_cast<std::int64_t>(metrics.size()));
        replicas = textbook::pass(of, metrics, replicas, start_ms + at * poll_ms);
        keep(replicas);
        ++at;
    }

    textbook::autoscaler of;
    int replicas = 3;
    std::int64_t at = 0;
};

// A tick's cost once the windows are full.
template <class Scaler>
double steady_cost(Scaler& of) {
    for (std::int64_t i = 0; i < 1000; ++i) of.tick(i);
    return nanoseconds_per_call(calls, [&](std::int64_t i) { of.tick(i); });
}

}  // namespace gputide::bench
