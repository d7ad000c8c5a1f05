#include "common/text.hpp"
#include "replay/tune/tune.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace gputided {

namespace {

constexpr double clear_share = 0.1;  // a figure is clearly worse if it is more than a tenth higher

// A figure with its limit.
struct measure {
    double value;
    double limit;       // below 0: no limit
    const char* unit;   // "flaps a day"
    const char* flag;   // sets the limit
    double min_change;  // a smaller difference is ignored
};

std::array<measure, 4> measures_of(const daily_figures& figures, const daily_limits& limits) {
    return {measure{figures.above_minutes, limits.above_minutes, "minutes above target a day", "--max-above", 1},
            measure{figures.late_minutes, limits.late_minutes, "minutes late (p95)", "--max-lateness", 0.5},
            measure{figures.flaps, limits.flaps, "flaps a day", "--max-flaps", 1},
            measure{static_cast<double>(figures.max_replicas), static_cast<double>(limits.replicas), "replicas",
                    "--max-replicas", 1}};
}

// Returns for example "2.86 flaps a day, at most 0 (--max-flaps)" for 2.857 and 0.
broken_limit beyond(const measure& measure, bool is_todays) {
    const std::string limit = figure(measure.limit, 2);
    const std::string found = figure(measure.value, 2) + " " + measure.unit + ", at most " + limit;
    if (!is_todays) return {std::string(measure.flag) + " " + limit, found + " (" + measure.flag + ")"};
    return {std::string("today's ") + measure.unit, found + " as today (" + measure.flag + " sets another limit)"};
}

}  // namespace

daily_figures figures_of(const json& report) {
    daily_figures out;
    if (report.contains("refused")) {
        out.broken_limit.text = report.at("refused");
        out.excess = INFINITY;
        return out;
    }
    const json& summary = report.at("summary");
    const double days = std::max(number_at(summary, "duration_hours") / 24.0, 1e-9);
    out.gpu_hours = number_at(summary, "gpu_hours") / days;
    const double price = number_at(report.at("policy"), "cost_per_gpu_hour");
    if (price > 0) out.cost = out.gpu_hours * price;
    if (report.contains("nodes")) out.node_cost = number_at(report.at("nodes"), "cost") / days;
    out.above_minutes = number_at(summary, "minutes_above_target") / days;
    out.late_minutes = lateness_minutes(summary, "p95").value_or(0);
    out.flaps = number_at(summary, "flaps") / days;
    out.max_replicas = summary.at("most_replicas");
    return out;
}

void check_limits(daily_figures& figures, const daily_limits& limits) {
    if (std::isinf(figures.excess)) return;
    for (const measure& measure : measures_of(figures, limits)) {
        if (measure.limit < 0 || measure.value <= measure.limit) continue;
        const bool is_todays = limits.above_is_todays && std::string_view(measure.flag) == "--max-above";
        if (figures.broken_limit.empty()) figures.broken_limit = beyond(measure, is_todays);
        figures.excess += (measure.value - measure.limit) / std::max(measure.limit, 1.0);
    }
}

std::vector<std::string> worse_measures(const candidate& now, const candidate& proposed, const daily_limits& limits) {
    std::vector<std::string> out;
    std::set<std::string> named;
    for (const bool held_out : {false, true}) {
        const auto before = measures_of(held_out ? now.held_out : now.train, limits);
        const auto after = measures_of(held_out ? proposed.held_out : proposed.train, limits);
        for (std::size_t i = 0; i < before.size(); ++i) {
            const double change = after[i].value - before[i].value;
            const bool is_worse = change >= before[i].min_change && change > before[i].value * clear_share;
            if (before[i].limit >= 0 || !is_worse || !named.insert(before[i].unit).second) continue;
            out.push_back("worse than today, and without a limit: " + figure(after[i].value) + " " + before[i].unit +
                          " instead of " + figure(before[i].value) + (held_out ? " in the held-out part" : "") + "; " +
                          before[i].flag + " sets a limit");
        }
    }
    return out;
}

bool is_better(const candidate& a, const candidate& b) {
    const auto key = [](const candidate& candidate) {
        return std::make_tuple(candidate.train.node_cost.value_or(0.0), candidate.train.gpu_hours,
                               candidate.train.above_minutes, candidate.train.flaps);
    };
    return key(a) < key(b);
}

json figures_json(const daily_figures& figures) {
    json out{{"gpu_hours_per_day", figures.gpu_hours},
             {"minutes_above_target_per_day", figures.above_minutes},
             {"lateness_p95_minutes", figures.late_minutes},
             {"flaps_per_day", figures.flaps},
             {"most_replicas", figures.max_replicas},
             {"broke", figures.broken_limit.empty() ? json() : json(figures.broken_limit.text)}};
    if (figures.cost) out["cost_per_day"] = *figures.cost;
    if (figures.node_cost) out["node_cost_per_day"] = *figures.node_cost;
    return out;
}

std::string figures_text(const daily_figures& figures) {
    return "a day: " + (figures.node_cost ? "nodes for " + figure(*figures.node_cost, 2) + ", " : "") +
           figure(figures.gpu_hours, 2) + " GPU-hours, " +
           (figures.cost ? "cost " + figure(*figures.cost, 2) + ", " : "") + figure(figures.above_minutes, 1) +
           " min above target, late " + figure(figures.late_minutes, 1) + " min (p95), " + figure(figures.flaps, 1) +
           " flaps; at most " + std::to_string(figures.max_replicas) + " replicas" +
           (figures.broken_limit.empty() ? "" : "; breaks: " + figures.broken_limit.text);
}

}  // namespace gputided
