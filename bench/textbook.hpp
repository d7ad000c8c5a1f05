// The baseline: an HPA pass as one would write it straight from the documentation, with vectors, maps and strings.
// It makes the same decisions for one AverageValue metric with behavior; it is not slowed down on purpose.
#pragma once

#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gputide::bench::textbook {

struct policy {
    std::string type;  // "Pods", "Percent"
    int value = 0;
    int period_s = 0;
};

struct rules {
    int window_s = 0;
    std::string select = "Max";
    std::vector<policy> policies;
};

struct entry {
    int replicas = 0;
    std::int64_t time_ms = 0;
};

struct condition {
    std::string status;
    std::string reason;
    std::string message;
};

struct autoscaler {
    int min = 1;
    int max = 20;
    std::map<std::string, double> targets;
    rules up;
    rules down;
    std::vector<entry> recommendations;
    std::vector<entry> ups;
    std::vector<entry> downs;
    std::map<std::string, condition> conditions;
};

inline std::vector<entry> within(const std::vector<entry>& all, int window_s, std::int64_t now_ms) {
    std::vector<entry> out;
    for (const entry& item : all) {
        if (item.time_ms > now_ms - window_s * std::int64_t{1000}) out.push_back(item);
    }
    return out;
}

inline int changed(const std::vector<entry>& events, int period_s, std::int64_t now_ms) {
    int sum = 0;
    for (const entry& item : within(events, period_s, now_ms)) sum += item.replicas;
    return sum;
}

inline int limit(const autoscaler& of, const rules& by, int current, bool upward, std::int64_t now_ms) {
    std::vector<int> candidates;
    for (const policy& item : by.policies) {
        const int start = current - changed(of.ups, item.period_s, now_ms) + changed(of.downs, item.period_s, now_ms);
        const int sign = upward ? 1 : -1;
        if (item.type == "Pods") {
            candidates.push_back(start + sign * item.value);
        } else {
            const double moved = start * (1 + sign * item.value / 100.0);
            candidates.push_back(static_cast<int>(upward ? std::ceil(moved) : moved));
        }
    }
    const bool greatest = (by.select == "Max") == upward;
    return greatest ? *std::max_element(candidates.begin(), candidates.end())
                    : *std::min_element(candidates.begin(), candidates.end());
}

inline int proposed(const autoscaler& of, const std::map<std::string, double>& metrics, int current) {
    int best = 0;
    for (const auto& [name, value] : metrics) {
        const double target = of.targets.at(name);
        const double ratio = value / (target * current);
        const bool stays = ratio >= 0.9 && ratio <= 1.1;
        best = std::max(best, stays ? current : static_cast<int>(std::ceil(value / target)));
    }
    return best;
}

inline int stabilized(autoscaler& of, int current, int raw, std::int64_t now_ms) {
    int up = raw;
    int down = raw;
    for (const entry& item : within(of.recommendations, of.up.window_s, now_ms)) up = std::min(up, item.replicas);
    for (const entry& item : within(of.recommendations, of.down.window_s, now_ms)) down = std::max(down, item.replicas);
    of.recommendations.push_back({raw, now_ms});
    of.recommendations = within(of.recommendations, std::max(of.up.window_s, of.down.window_s), now_ms);
    return std::min(std::max(current, up), down);
}

inline int pass(autoscaler& of, const std::map<std::string, double>& metrics, int current, std::int64_t now_ms) {
    const int raw = proposed(of, metrics, current);
    of.conditions["ScalingActive"] = {"True", "ValidMetricFound",
                                      "the HPA was able to successfully calculate a replica count"};
    const int stable = stabilized(of, current, raw, now_ms);
    of.conditions["AbleToScale"] = {"True", stable == raw ? "ReadyForNewScale" : "ScaleDownStabilized",
                                    "recommended size matches current size"};
    int desired = stable;
    if (stable > current) {
        desired = std::min({stable, std::max(limit(of, of.up, current, true, now_ms), current), of.max});
    } else if (stable < current) {
        desired = std::max({stable, std::min(limit(of, of.down, current, false, now_ms), current), of.min});
    }
    of.conditions["ScalingLimited"] = {desired == stable ? "False" : "True", "DesiredWithinRange",
                                       "the desired count is within the acceptable range"};
    if (desired > current) of.ups.push_back({desired - current, now_ms});
    if (desired < current) of.downs.push_back({current - desired, now_ms});
    of.ups = within(of.ups, 60, now_ms);
    of.downs = within(of.downs, 60, now_ms);
    return desired;
}

}  // namespace gputide::bench::textbook

// The load that the decision benchmarks share, and their baseline: a textbook pass driven through time.

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
