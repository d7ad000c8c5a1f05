#include "replay/compare/compare.hpp"

#include "common/exit_status.hpp"
#include "common/files.hpp"
#include "common/text.hpp"
#include "replay/figures.hpp"
#include "replay/forecast/rivals.hpp"
#include "replay/input.hpp"
#include "replay/page/choices.hpp"
#include "replay/text.hpp"

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

struct variant {
    std::string name;
    json changes;
};

// "threshold=60,down_window_s=120", or with a name in front: "calm: down_window_s=600".
variant read_variant(const std::string& text, const replay_input& input) {
    const std::size_t colon = text.find(':');
    std::string rest = colon == std::string::npos ? text : text.substr(colon + 1);
    rest.erase(std::remove(rest.begin(), rest.end(), ' '), rest.end());
    variant out{text.substr(0, colon), json::object()};
    for (const std::string& change : split(rest, ',')) add_change(change, "--variant", out.changes);
    if (const auto refusal = refusal_of(input, out.changes))
        throw usage_error("--variant " + text + ": " + refusal->what());
    return out;
}

row manifest_row(const std::string& path, replay_input input, const compare_options& options) {
    const manifest_file file{path, read_text(path)};
    input.manifest = file.text;
    input.options = library_options(options.replay.shared, {file});
    return {path, report_of(input, json::object())};
}

// The first manifest; where it forecasts, without, with, and with headroom instead.
std::vector<row> first_rows(const replay_input& input, const json& report) {
    if (!forecasts(report)) return {{input.file, report}};
    std::vector<row> out;
    for (const json& one : report.at("compared")) out.push_back({one.at("name").get<std::string>(), one});
    return out;
}

std::string padded(const std::string& text, std::size_t width) {
    return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string figures_line(const json& summary, double first_gpu_hours) {
    const double hours = summary.at("gpu_hours");
    const std::string range = std::to_string(summary.at("least_replicas").get<int>()) + ".." +
                              std::to_string(summary.at("most_replicas").get<int>());
    const int changes = summary.at("scale_ups").get<int>() + summary.at("scale_downs").get<int>();
    const double against = first_gpu_hours > 0 ? (hours / first_gpu_hours - 1) * 100 : 0.0;
    char line[256];
    std::snprintf(line, sizeof line, "%10s %10s %9s %12s %7d %7d %9s\n", decimal(hours, 1).c_str(),
                  decimal(summary.at("cost"), 2).c_str(), range.c_str(),
                  decimal(summary.at("minutes_above_target"), 1).c_str(), summary.at("flaps").get<int>(), changes,
                  ((against < 0 ? "" : "+") + decimal(against, 1) + "%").c_str());
    return line;
}

std::string table(const std::vector<row>& rows) {
    std::size_t width = 8;
    for (const row& row : rows) width = std::max(width, row.name.size());
    char heading[256];
    std::snprintf(heading, sizeof heading, "%10s %10s %9s %12s %7s %7s %9s\n", "GPU-hours", "cost", "replicas",
                  "min above", "flaps", "changes", "against");
    std::string out = padded("", width) + heading;
    const double first_gpu_hours = rows.front().report.at("summary").at("gpu_hours");
    for (const row& row : rows) {
        out += padded(row.name, width) + figures_line(row.report.at("summary"), first_gpu_hours);
    }
    for (const row& row : rows) {
        if (!row.report.contains("chart")) continue;
        out += padded(row.name, width) + "  " + sparkline(row.report.at("chart").at("replicas"), 72) + "\n";
    }
    return out;
}

choice choice_of(const row& row, bool is_first) {
    const json& summary = row.report.at("summary");
    return {row.name,
            is_first ? "now" : "kept",
            summary.at("gpu_hours").get<double>(),
            summary.at("minutes_above_target").get<double>(),
            summary.at("flaps").get<double>(),
            summary.at("most_replicas").get<double>(),
            ""};
}

std::string page_of(const std::vector<row>& rows, const std::string& scaler) {
    const json& summary = rows.front().report.at("summary");
    choices out;
    out.title = scaler;
    out.subtitle = summary.at("from").get<std::string>() + " to " + summary.at("to").get<std::string>() + ", " +
                   rows.front().report.at("model").at("name").get<std::string>() + " loop";
    const auto least = std::min_element(rows.begin(), rows.end(), [](const row& a, const row& b) {
        return a.report.at("summary").at("gpu_hours") < b.report.at("summary").at("gpu_hours");
    });
    out.conclusion = least->name + " needs the fewest GPU-hours: " + report_conclusion(least->report);
    if (const auto recorded = recorded_choice(rows.front().report, 1.0)) out.rows.push_back(*recorded);
    for (const row& row : rows) out.rows.push_back(choice_of(row, &row == &rows.front()));
    return choices_page(out);
}

int compare(const compare_options& options) {
    replay_input input = read_replay_input(options.replay);
    std::vector<variant> variants;
    for (const std::string& text : options.variants) variants.push_back(read_variant(text, input));
    const json first = report_of(input, json::object());
    std::vector<row> rows = first_rows(input, first);
    fix_levels(input, first);  // one yardstick for all: the first one's
    for (const std::string& path : options.against) rows.push_back(manifest_row(path, input, options));
    for (const variant& one : variants) rows.push_back({one.name, report_of(input, one.changes)});
    if (!options.replay.html.empty())
        replace_text(options.replay.html, page_of(rows, input.scaler), readers::everybody);
    if (!options.replay.shared.json()) {
        std::cout << table(rows);
        return done;
    }
    json out = json::array();
    for (const row& row : rows) out.push_back({{"name", row.name}, {"report", row.report}});
    std::cout << out.dump() << "\n";
    return done;
}

void add_flags(CLI::App& app, compare_options& options) {
    add_replay_flags(app, options.replay);
    app.add_option("--html", options.replay.html,
                   "write a page with all of them here: one file, nothing loaded from elsewhere");
    app.add_option("--against", options.against, "a further manifest, on the same series; repeatable");
    app.add_option("--variant", options.variants,
                   "the first manifest with changes: threshold=70,min=2, or with a name: 'calm: down_window_s=600'; "
                   "repeatable");
}

}  // namespace

void add_compare(subcommands& commands) {
    commands.add("replay-compare", "gputided replay compare: manifests and variants side by side, on one series",
                 "gputided replay compare -f so.yaml --series day.csv --variant threshold=70 --variant 'calm: "
                 "down_window_s=600'",
                 &compare, &add_flags);
}

}  // namespace gputided
