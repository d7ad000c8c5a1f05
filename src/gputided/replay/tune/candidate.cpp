#include "replay/tune/candidate.hpp"

#include "replay/figures.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace gputided {
namespace {

using json = nlohmann::json;

double share_beyond(double value, double limit) {
    return limit >= 0 && value > limit ? (value - limit) / std::max(limit, 1.0) : 0.0;
}

// 2.857, "flaps a day", --most-flaps, 0 → "2.86 flaps a day, at most 0 (--most-flaps)".
broken_limit beyond(double value, const char* unit, const std::string& flag, double limit) {
    return {flag + " " + figure(limit, 2),
            figure(value, 2) + " " + unit + ", at most " + figure(limit, 2) + " (" + flag + ")"};
}

broken_limit first_broken(const daily_figures& figures, const tune_options& limits) {
    if (limits.most_above >= 0 && figures.above_minutes > limits.most_above)
        return beyond(figures.above_minutes, "minutes above target a day", "--most-above", limits.most_above);
    if (limits.most_flaps >= 0 && figures.flaps > limits.most_flaps)
        return beyond(figures.flaps, "flaps a day", "--most-flaps", limits.most_flaps);
    if (limits.most_replicas >= 0 && figures.most_replicas > limits.most_replicas)
        return beyond(figures.most_replicas, "replicas", "--most-replicas", limits.most_replicas);
    return {};
}

}  // namespace

daily_figures figures_of(const json& report, const tune_options& limits) {
    daily_figures out;
    if (report.contains("refused")) {
        out.broken_limit.text = report.at("refused");
        out.excess = INFINITY;
        return out;
    }
    const json& summary = report.at("summary");
    const double days = std::max(summary.at("duration_hours").get<double>() / 24.0, 1e-9);
    out.gpu_hours = summary.at("gpu_hours").get<double>() / days;
    if (report.contains("nodes")) out.node_cost = report.at("nodes").at("cost").get<double>() / days;
    out.above_minutes = summary.at("minutes_above_target").get<double>() / days;
    out.flaps = summary.at("flaps").get<double>() / days;
    out.most_replicas = summary.at("most_replicas");
    out.broken_limit = first_broken(out, limits);
    out.excess = share_beyond(out.above_minutes, limits.most_above) + share_beyond(out.flaps, limits.most_flaps) +
                 share_beyond(out.most_replicas, limits.most_replicas);
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
             {"flaps_per_day", figures.flaps},
             {"most_replicas", figures.most_replicas},
             {"broke", figures.broken_limit.empty() ? json() : json(figures.broken_limit.text)}};
    if (figures.node_cost) out["node_cost_per_day"] = *figures.node_cost;
    return out;
}

std::string figures_text(const daily_figures& figures) {
    return "a day: " + (figures.node_cost ? "nodes for " + figure(*figures.node_cost, 2) + ", " : "") +
           figure(figures.gpu_hours, 2) + " GPU-hours, " + figure(figures.above_minutes, 1) + " min above target, " +
           figure(figures.flaps, 1) + " flaps; at most " + std::to_string(figures.most_replicas) + " replicas" +
           (figures.broken_limit.empty() ? "" : "; breaks: " + figures.broken_limit.text);
}

}  // namespace gputided
