// gputided replay compare: manifests and variants side by side, on one series.
#include "choices_html.hpp"
#include "common/files.hpp"
#include "common/log.hpp"
#include "common/page.hpp"
#include "common/text.hpp"
#include "replay/replay.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace gputided {
namespace {

struct compare_options {
    replay_options replay;
    std::vector<std::string> against;   // further manifests
    std::vector<std::string> variants;  // "name: setting=value,setting=value" of the first
};

}  // namespace

std::string choices_page(const choices& choices) {
    ordered_json data{{"per_day", choices.per_day},
                      {"rows", ordered_json::array()},
                      {"diff", choices.diff},
                      {"patch", choices.patch},
                      {"notes", choices.notes}};
    for (const choice& row : choices.rows) {
        data["rows"].push_back({{"name", row.name},
                                {"kind", row.kind},
                                {"gpu_hours", or_null(row.gpu_hours)},
                                {"minutes_above", or_null(row.minutes_above)},
                                {"flaps", or_null(row.flaps)},
                                {"most_replicas", or_null(row.max_replicas)},
                                {"broke", row.broke}});
    }
    return report_file(choices_html, {{"TITLE", escaped(choices.title)},
                                      {"SUBTITLE", escaped(choices.subtitle)},
                                      {"CONCLUSION", escaped(choices.conclusion)},
                                      {"CHOICES", for_script(json::parse(data.dump()))}});
}

std::optional<choice> recorded_choice(const json& report, double days) {
    const json& sums = report.at("summary");
    if (!sums.contains("recorded_replica_hours")) return std::nullopt;
    const double gpus = report.at("policy").at("gpus_per_replica");
    choice out{"as recorded", "recorded", {}, {}, {}, {}, ""};
    out.gpu_hours = number_at(sums, "recorded_replica_hours") * gpus / days;
    out.minutes_above = number_at(sums, "recorded_minutes_above_target") / days;
    return out;
}

namespace {

struct row {
    std::string name;
    json report;
};

struct variant {
    std::string name;
    json changes;
};

// Reads "threshold=60,down_window_s=120", or with a name first: "calm: down_window_s=600".
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

// Returns the first manifest; if it forecasts, without the forecast, with it, and with headroom instead.
std::vector<row> first_rows(const replay_input& input, const json& report) {
    if (!forecasts(report)) return {{input.file, report}};
    std::vector<row> out;
    for (const json& entry : report.at("compared")) out.push_back({text_at(entry, "name"), entry});
    return out;
}

std::string figures_line(const json& summary, double first_gpu_hours) {
    const double hours = summary.at("gpu_hours");
    const std::string range = summary.at("least_replicas").dump() + ".." + summary.at("most_replicas").dump();
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
        out += padded(row.name, width) + "  " + sparkline(numbers_in(row.report.at("chart").at("replicas")), 72) + "\n";
    }
    return out;
}

choice choice_of(const row& row, bool is_first) {
    const json& summary = row.report.at("summary");
    return {row.name,
            is_first ? "now" : "kept",
            number_at(summary, "gpu_hours"),
            number_at(summary, "minutes_above_target"),
            number_at(summary, "flaps"),
            number_at(summary, "most_replicas"),
            ""};
}

std::string page_of(const std::vector<row>& rows, const std::string& scaler) {
    const json& summary = rows.front().report.at("summary");
    choices out;
    out.title = scaler;
    out.subtitle = text_at(summary, "from") + " to " + text_at(summary, "to") + ", " +
                   text_at(rows.front().report.at("model"), "name") + " loop";
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
    fix_levels(input, first);  // the same level for all rows
    for (const std::string& path : options.against) rows.push_back(manifest_row(path, input, options));
    for (const variant& changed : variants) rows.push_back({changed.name, report_of(input, changed.changes)});
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
    add_replay_options(app, options.replay, "write a page with all of them here: one file, which loads nothing");
    add_options(app, "",
                {{"--against", &options.against, "another manifest, on the same series; repeatable"},
                 {"--variant", &options.variants,
                  "the first manifest with changes: threshold=70,min=2, or with a name: 'calm: down_window_s=600'; "
                  "repeatable"}});
}

}  // namespace

void add_compare(subcommands& commands) {
    commands.add("replay-compare", "gputided replay compare: manifests and variants side by side, on one series",
                 "gputided replay compare -f so.yaml --series day.csv --variant threshold=70 --variant 'calm: "
                 "down_window_s=600'",
                 &compare, &add_flags);
}

}  // namespace gputided
