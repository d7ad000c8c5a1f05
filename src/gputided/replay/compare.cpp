// gputided replay compare: compares manifests and variants on the same series.
#include "choices_html.hpp"
#include "common/files.hpp"
#include "common/log.hpp"
#include "common/page.hpp"
#include "common/text.hpp"
#include "replay/replay.hpp"

#include <algorithm>
#include <iostream>

namespace gputided {
namespace {

struct compare_options {
    replay_options replay;
    std::vector<std::string> against;   // further manifests
    std::vector<std::string> variants;  // "name: setting=value,setting=value", applied to the first manifest
};

}  // namespace

std::string choices_page(const std::array<std::string, 3>& title, const ordered_json& data) {
    return report_file(choices_html, {{"TITLE", escaped(title[0])},
                                      {"SUBTITLE", escaped(title[1])},
                                      {"CONCLUSION", escaped(title[2])},
                                      {"CHOICES", for_script(json(data))}});
}

ordered_json recorded_row(const json& report, double days) {
    const json &sums = report.at("summary"), &policy = report.at("policy");
    if (!sums.contains("recorded_replica_hours")) return nullptr;
    const double gpu_hours = number_at(sums, "recorded_replica_hours") * number_at(policy, "gpus_per_replica") / days;
    ordered_json out{{"name", "as recorded"},
                     {"kind", "recorded"},
                     {"gpu_hours", gpu_hours},
                     {"minutes_above", number_at(sums, "recorded_minutes_above_target") / days}};
    if (const double price = number_at(policy, "cost_per_gpu_hour"); price > 0) out["cost"] = gpu_hours * price;
    return out;
}

namespace {

struct row {
    std::string name;
    json report;
};

// Reads "threshold=60,down_window_s=120", also with a name: "calm: down_window_s=600".  Returns the changes.
json read_variant(const std::string& text, const replay_input& input) {
    const std::size_t colon = text.find(':');
    std::string rest = colon == std::string::npos ? text : text.substr(colon + 1);
    std::erase(rest, ' ');
    json out = json::object();
    for (const std::string& change : split(rest, ',')) add_change(change, "--variant", out);
    if (const auto refusal = refusal_of(input, out)) throw usage_error("--variant " + text + ": " + refusal->what());
    return out;
}

row manifest_row(const std::string& path, replay_input input, const compare_options& options) {
    const manifest_file file{path, read_text(path)};
    input.manifest = file.text;
    input.options = library_options(options.replay.shared, {file});
    return {path, report_of(input, json::object())};
}

// Returns a row for the first manifest; if it forecasts, rows without the forecast, with it, and with headroom instead.
std::vector<row> first_rows(const replay_input& input, const json& report) {
    if (!forecasts(report)) return {{input.file, report}};
    std::vector<row> out;
    for (json entry : report.at("compared")) {
        for (const char* shared : {"policy", "model"}) entry[shared] = report.at(shared);
        out.push_back({text_at(entry, "name"), std::move(entry)});
    }
    return out;
}

std::string change_percent(const json& summary, double first_gpu_hours) {
    const double change = first_gpu_hours > 0 ? (number_at(summary, "gpu_hours") / first_gpu_hours - 1) * 100 : 0.0;
    return (change < 0 ? "" : "+") + decimal(change, 1) + "%";
}

std::string late_cell(const json& summary, double) {
    const auto p95 = lateness_minutes(summary, "p95");
    return p95 ? span_text(*p95) : "-";
}

struct column {
    const char* heading;
    std::string (*cell)(const json& summary, double first_gpu_hours);
    bool needs_price = false;
};
constexpr column all_columns[] = {
    {"GPU-hours", [](const json& summary, double) { return decimal(number_at(summary, "gpu_hours"), 1); }},
    {"vs first", &change_percent},
    {"cost", [](const json& summary, double) { return decimal(number_at(summary, "cost"), 2); }, true},
    {"replicas",
     [](const json& summary, double) {
         return summary.at("least_replicas").dump() + ".." + summary.at("most_replicas").dump();
     }},
    {"min above", [](const json& summary, double) { return decimal(number_at(summary, "minutes_above_target"), 1); }},
    {"late p95", &late_cell},
    {"flaps", [](const json& summary, double) { return summary.at("flaps").dump(); }},
    {"changes", [](const json& summary, double) {
         return std::to_string(integer_at(summary, "scale_ups") + integer_at(summary, "scale_downs"));
     }}};

bool has_price(const std::vector<row>& rows) {
    return std::ranges::any_of(rows, [](const row& row) { return number_at(row.report.at("summary"), "cost") > 0; });
}

// Draws all rows with the same scale, so that equal heights are equal replica counts.
std::string sparklines(const std::vector<row>& rows, std::size_t width) {
    double high = 0;
    for (const row& row : rows) high = std::max(high, number_at(row.report.at("summary"), "most_replicas"));
    std::string out;
    for (const row& row : rows) {
        if (!row.report.contains("chart")) continue;
        out += padded(row.name, width) + "  " +
               sparkline(numbers_in(row.report.at("chart").at("replicas")), 72, value_range{0, high}) + "\n";
    }
    return out.empty() ? out : "Replicas, from 0 to " + figure(high, 0) + ":\n" + out;
}

std::string table(const std::vector<row>& rows) {
    std::size_t width = 8;
    for (const row& row : rows) width = std::max(width, row.name.size());
    const double first_gpu_hours = number_at(rows.front().report.at("summary"), "gpu_hours");
    std::vector<std::string> lines{padded("", width)};
    for (const row& row : rows) lines.push_back(padded(row.name, width));
    for (const column& column : all_columns) {
        if (column.needs_price && !has_price(rows)) continue;
        std::vector<std::string> cells{column.heading};
        for (const row& row : rows) cells.push_back(column.cell(row.report.at("summary"), first_gpu_hours));
        std::size_t cell_width = 0;
        for (const std::string& cell : cells) cell_width = std::max(cell_width, cell.size());
        for (std::size_t i = 0; i < cells.size(); ++i)
            lines[i] += std::string(cell_width - cells[i].size() + 3, ' ') + cells[i];
    }
    return joined(lines, "\n") + "\n" + sparklines(rows, width);
}

ordered_json page_row(const row& row, const char* kind, bool has_price) {
    const json& summary = row.report.at("summary");
    ordered_json out{{"name", row.name},
                     {"kind", kind},
                     {"gpu_hours", summary.at("gpu_hours")},
                     {"minutes_above", summary.at("minutes_above_target")},
                     {"late_minutes", or_null(lateness_minutes(summary, "p95"))},
                     {"flaps", summary.at("flaps")},
                     {"most_replicas", summary.at("most_replicas")}};
    if (has_price) out["cost"] = summary.at("cost");
    if (!row.report.contains("chart")) return out;
    const json& chart = row.report.at("chart");
    out["curve"] = {{"time_ms", chart.at("time_ms")},
                    {"replicas", chart.at("replicas")},  // the peak of each bin
                    {"min", summary.at("least_replicas")},
                    {"max", summary.at("most_replicas")}};
    return out;
}

// Returns the row with the fewest GPU-hours among those that are not above target for longer than the first row.
const row& cheapest_in_time(const std::vector<row>& rows) {
    const auto figure_of = [](const row& row, const char* name) { return number_at(row.report.at("summary"), name); };
    const row* out = &rows.front();
    for (const row& row : rows) {
        const bool is_later = figure_of(row, "minutes_above_target") > figure_of(rows.front(), "minutes_above_target");
        if (!is_later && figure_of(row, "gpu_hours") < figure_of(*out, "gpu_hours")) out = &row;
    }
    return *out;
}

std::string page_conclusion(const std::vector<row>& rows, const row& cheapest) {
    const auto text = [](const row& row) { return row.name + ": " + report_conclusion(row.report); };
    if (&cheapest == &rows.front())
        return text(rows.front()) + " No other row needs fewer GPU-hours without more time above target.";
    return text(rows.front()) + " The fewest GPU-hours without more time above target: " + text(cheapest);
}

std::string page_of(const std::vector<row>& rows, const std::string& scaler) {
    const json& first = rows.front().report;
    const json& summary = first.at("summary");
    const row& cheapest = cheapest_in_time(rows);
    ordered_json data{{"rows", ordered_json::array()}, {"notes", ordered_json::array()}};
    if (ordered_json recorded = recorded_row(first, 1.0); !recorded.is_null())
        data["rows"].push_back(std::move(recorded));
    for (const row& row : rows) {
        const char* const kind = &row == &rows.front() ? "now" : &row == &cheapest ? "best" : "kept";
        data["rows"].push_back(page_row(row, kind, has_price(rows)));
    }
    return choices_page({scaler,
                         text_at(summary, "from") + " to " + text_at(summary, "to") + ", " +
                             text_at(first.at("model"), "name") + " loop",
                         page_conclusion(rows, cheapest)},
                        data);
}

int compare(const compare_options& options) {
    replay_input input = read_replay_input(options.replay);
    std::vector<json> variants;
    for (const std::string& text : options.variants) variants.push_back(read_variant(text, input));
    const json first = report_of(input, json::object());
    std::vector<row> rows = first_rows(input, first);
    fix_levels(input, first);  // the same level for all rows
    for (const std::string& path : options.against) rows.push_back(manifest_row(path, input, options));
    for (std::size_t i = 0; i < variants.size(); ++i)
        rows.push_back({options.variants[i].substr(0, options.variants[i].find(':')), report_of(input, variants[i])});
    if (!options.replay.html.empty())
        replace_text(options.replay.html, page_of(rows, input.scaler), readers::everybody);
    if (!options.replay.shared.json()) {
        std::cout << table(rows);
        return done;
    }
    json out = {{"rows", json::array()}};
    for (const row& row : rows) out["rows"].push_back({{"name", row.name}, {"report", row.report}});
    std::cout << out.dump() << "\n";
    return done;
}

}  // namespace

void add_compare(subcommands& commands) {
    compare_options& options =
        commands.add("replay-compare", "Compare manifests and variants on the same series",
                     "gputided replay compare -f so.yaml --series day.csv --variant threshold=70 --variant 'calm: "
                     "down_window_s=600'",
                     &compare);
    CLI::App& app = commands.app();
    add_replay_options(app, options.replay, "write a page with all rows: an HTML file that loads nothing");
    option_list add(app);
    add("--against", options.against, "another manifest, on the same series; repeatable");
    add("--variant", options.variants,
        "the first manifest with changes: threshold=70,min=2, or with a name: 'calm: down_window_s=600'; "
        "repeatable");
}

}  // namespace gputided
