#include "common/text.hpp"
#include "replay/replay.hpp"

#include <cmath>

namespace gputided {

namespace {

constexpr int halvings = 10;          // to 1/1024 of max_headroom
constexpr double max_headroom = 0.5;  // of the target

struct rival {
    std::string name;  // "forecast off", "forecast on", "headroom 12 %"
    json changes;      // of the policy
    json report;
};

double summed(const rival& of, const char* name) { return number_at(of.report.at("summary"), name); }

rival ran(const replay_input& input, std::string name, json changes) {
    json report = replayed(input, changes);
    return {std::move(name), std::move(changes), std::move(report)};
}

// Tells whether the forecast is of the first metric, the only one that `threshold` changes; a formula rejects `threshold`.
bool targets_first_metric(const json& report) {
    const json& policy = report.at("policy");
    return report.at("forecast").at("metric") == policy.at("metrics").at(0).at("metric");
}

json lowered(double target, double headroom) {
    return {{"forecast", "off"}, {"threshold", std::round(target * (1 - headroom) * 1000) / 1000}};
}

// Returns the largest headroom with at most max_hours replica-hours.
rival headroom_for(replay_input input, double target, double max_hours) {
    const replay_input whole = input;
    input.settings["events"] = 0;
    input.settings["chart_points"] = 0;
    double low = 0;
    double high = max_headroom;
    for (int i = 0; i < halvings; ++i) {
        const double tried = (low + high) / 2;
        const bool is_too_expensive = summed(ran(input, "", lowered(target, tried)), "replica_hours") > max_hours;
        (is_too_expensive ? high : low) = tried;
    }
    return ran(whole, "headroom " + figure(low * 100) + " %", lowered(target, low));
}

std::string change_text(double now, double before) {
    if (!(before > 0)) return "";
    const double percent = (now / before - 1) * 100;
    return " (" + std::string(percent < 0 ? "" : "+") + figure(percent) + " %)";
}

// Returns the forecast off, on, and headroom if it can be compared.
std::vector<rival> rivals_of(replay_input input, const json& report) {
    fix_levels(input, report);
    std::vector<rival> out;
    out.push_back(ran(input, "forecast off", {{"forecast", "off"}}));
    out.push_back(ran(input, "forecast on", {{"forecast", "act"}}));
    const double hours = summed(out[1], "replica_hours");
    if (!(hours > summed(out[0], "replica_hours")) || !targets_first_metric(report)) return out;
    out.push_back(headroom_for(input, report.at("policy").at("metrics").at(0).at("target"), hours));
    return out;
}

}  // namespace

bool forecasts(const json& report) { return report.contains("forecast"); }

void add_rivals(json& report, const replay_input& input) {
    const std::vector<rival> rivals = rivals_of(input, report);
    json& out = report["compared"] = json::array();
    for (const rival& compared : rivals) {
        json line = {{"name", compared.name}, {"set", compared.changes}, {"summary", compared.report.at("summary")}};
        if (compared.report.contains("chart")) line["chart"] = compared.report.at("chart");
        out.push_back(std::move(line));
    }
    if (rivals.size() < 3 || summed(rivals[2], "minutes_above_target") > summed(rivals[1], "minutes_above_target"))
        return;
    report["warnings"].push_back("this series has no pattern worth forecasting: " + rivals[2].name + " (threshold " +
                                 figure(number_at(rivals[2].changes, "threshold"), 3) +
                                 ") gives the same result for the same replica-hours");
}

std::vector<std::string> compared_lines(const json& compared) {
    std::vector<std::string> out;
    const json& first = compared.at(0).at("summary");
    for (const json& entry : compared) {
        const auto part = [&](const char* name, const char* unit) {
            const double now = entry.at("summary").at(name).get<double>();
            return figure(now) + unit +
                   (&entry == &compared.at(0) ? "" : change_text(now, first.at(name).get<double>()));
        };
        out.push_back(text_at(entry, "name") + ": above target " + part("minutes_above_target", " min") + ", " +
                      part("replica_hours", " replica-hours"));
    }
    return out;
}

}  // namespace gputided
