// gputided replay compare: manifests and variants side by side, on one series.
#include "commands.hpp"
#include "files.hpp"
#include "replay_input.hpp"
#include "replay_search.hpp"
#include "replay_text.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace gputided {
namespace {

using json = nlohmann::json;

struct row {
    std::string name;
    json report;
};

// "threshold=60,down_window_s=120", or with a name in front: "calm: down_window_s=600".
row variant(const std::string& text, const replay_ground& on) {
    const std::size_t colon = text.find(':');
    row out{colon == std::string::npos ? text : text.substr(0, colon), {}};
    json holder = {{"set", json::object()}};
    std::string one;
    for (const char letter : text.substr(colon == std::string::npos ? 0 : colon + 1) + ",") {
        if (letter == ' ') continue;
        if (letter != ',') {
            one += letter;
            continue;
        }
        add_change(one, "--variant", holder);
        one.clear();
    }
    out.report = replayed(on, holder.at("set"));
    return out;
}

std::string padded(const std::string& text, std::size_t width) {
    return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string table(const std::vector<row>& rows) {
    std::size_t names = 8;
    for (const row& one : rows) names = std::max(names, one.name.size());
    char line[256];
    std::snprintf(line, sizeof line, "%10s %10s %9s %12s %7s %7s %9s\n", "GPU-hours", "cost", "replicas", "min above",
                  "flaps", "changes", "against");
    std::string out = padded("", names) + line;
    const double first = rows.front().report.at("summary").at("gpu_hours");
    for (const row& one : rows) {
        const json& sums = one.report.at("summary");
        const double hours = sums.at("gpu_hours");
        const std::string range = std::to_string(sums.at("least_replicas").get<int>()) + ".." +
                                  std::to_string(sums.at("most_replicas").get<int>());
        const int changes = sums.at("scale_ups").get<int>() + sums.at("scale_downs").get<int>();
        const double against = first > 0 ? (hours / first - 1) * 100 : 0.0;
        std::snprintf(line, sizeof line, "%10s %10s %9s %12s %7d %7d %9s\n", decimal(hours, 1).c_str(),
                      decimal(sums.at("cost"), 2).c_str(), range.c_str(),
                      decimal(sums.at("minutes_above_target"), 1).c_str(), sums.at("flaps").get<int>(), changes,
                      ((against < 0 ? "" : "+") + decimal(against, 1) + "%").c_str());
        out += padded(one.name, names) + line;
    }
    for (const row& one : rows) {
        if (one.report.contains("chart")) {
            out += padded(one.name, names) + "  " + sparkline(one.report.at("chart").at("replicas"), 72) + "\n";
        }
    }
    return out;
}

}  // namespace

int compare(const compare_options& from) {
    const std::vector<manifest_file> files = read_manifests(from.run.common);
    const std::string scaler = one_scaler(from.run.common, files);
    const gputide::series over = read_series(from.run, scaler, files);
    replay_ground on{files.front().text, library_options(from.run.common, files), &over, replay_settings(from.run)};
    on.with.scaler(scaler);
    std::vector<row> rows{{files.front().name, replayed(on, json::object())}};
    if (!on.settings.contains("above")) {  // one yardstick for all: the first one's
        for (const json& metric : rows.front().report.at("policy").at("metrics")) {
            on.settings["above"].push_back(metric.at("above"));
        }
    }
    for (const std::string& name : from.against) {
        const manifest_file other{name, read_text(name)};
        replay_ground there = on;
        there.manifest = other.text;
        there.with = library_options(from.run.common, {other});
        rows.push_back({name, replayed(there, json::object())});
    }
    for (const std::string& text : from.variants) rows.push_back(variant(text, on));
    if (!from.run.common.json()) {
        std::cout << table(rows);
        return done;
    }
    json out = json::array();
    for (const row& one : rows) out.push_back({{"name", one.name}, {"report", one.report}});
    std::cout << out.dump() << "\n";
    return done;
}

}  // namespace gputided
