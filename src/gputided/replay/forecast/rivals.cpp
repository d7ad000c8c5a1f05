#include "replay/forecast/rivals.hpp"

#include "replay/figures.hpp"

#include <cmath>

namespace gputided {
namespace {

using json = nlohmann::json;

constexpr int halvings = 10;           // to a thousandth of the target
constexpr double most_headroom = 0.5;  // of the target

struct rival {
    std::string name;  // "forecast off", "forecast on", "headroom 12 %"
    json changes;      // of the policy
    json report;
};

double summed(const rival& of, const char* name) { return of.report.at("summary").at(name).get<double>(); }

rival ran(const replay_input& input, std::string name, json changes) {
    json report = json::parse(replayed(input, changes));
    return {std::move(name), std::move(changes), std::move(report)};
}

// The threshold moves the first metric's target; of a formula it is refused.
bool targets_first_metric(const json& report) {
    const json& policy = report.at("policy");
    return report.at("forecast").at("metric") == policy.at("metrics").at(0).at("metric");
}

json lowered(double target, double headroom) {
    return {{"forecast", "off"}, {"threshold", std::round(target * (1 - headroom) * 1000) / 1000}};
}

// The largest headroom that costs no more than `most_hours`.
rival headroom_for(replay_input input, double target, double most_hours) {
    const replay_input whole = input;
    input.settings["events"] = 0;
    input.settings["chart_points"] = 0;
    double least = 0;
    double most = most_headroom;
    for (int i = 0; i < halvings; ++i) {
        const double tried = (least + most) / 2;
        const bool dear = summed(ran(input, "", lowered(target, tried)), "replica_hours") > most_hours;
        (dear ? most : least) = tried;
    }
    return ran(whole, "headroom " + figure(least * 100) + " %", lowered(target, least));
}

std::string change_text(double now, double before) {
    if (!(before > 0)) return "";
    const double percent = (now / before - 1) * 100;
    return " (" + std::string(percent < 0 ? "" : "+") + figure(percent) + " %)";
}

// The forecast off, on, and headroom where there is any.
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

void add_rivals(json& report, const std::vector<rival>& rivals) {
    json& out = report["compared"] = json::array();
    for (const rival& one : rivals) {
        json line = {{"name", one.name}, {"set", one.changes}, {"summary", one.report.at("summary")}};
        if (one.report.contains("chart")) line["chart"] = one.report.at("chart");
        out.push_back(std::move(line));
    }
    if (rivals.size() < 3 || summed(rivals[2], "minutes_above_target") > summed(rivals[1], "minutes_above_target"))
        return;
    report["warnings"].push_back("this series has no pattern worth forecasting: " + rivals[2].name + " (threshold " +
                                 figure(rivals[2].changes.at("threshold").get<double>(), 3) +
                                 ") does as much for the same replica-hours");
}

}  // namespace

bool forecasts(const json& report) { return report.contains("forecast"); }

std::string with_rivals(const replay_input& input, std::string report) {
    json read = json::parse(report);
    if (!forecasts(read)) return report;
    add_rivals(read, rivals_of(input, read));
    return read.dump();
}

std::vector<std::string> compared_lines(const json& compared) {
    std::vector<std::string> out;
    const json& first = compared.at(0).at("summary");
    for (const json& one : compared) {
        const auto part = [&](const char* name, const char* unit) {
            const double now = one.at("summary").at(name).get<double>();
            return figure(now) + unit + (&one == &compared.at(0) ? "" : change_text(now, first.at(name).get<double>()));
        };
        out.push_back(one.at("name").get<std::string>() + ": above target " + part("minutes_above_target", " min") +
                      ", " + part("replica_hours", " replica-hours"));
    }
    return out;
}

}  // namespace gputided
