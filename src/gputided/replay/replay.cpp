#include "replay/replay.hpp"

#include "common/files.hpp"
#include "common/log.hpp"
#include "common/page.hpp"
#include "common/text.hpp"
#include "report_html.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace gputided {

// uPlot, or "" in a build without it.  CMake generates replay_assets.cpp.
namespace assets {
extern const char* const uplot_css;
extern const char* const uplot_js;
}  // namespace assets

namespace {

constexpr std::size_t curve_columns = 72;
constexpr std::size_t shown_events = 10;

double number(const json& object, const char* name) { return object.value(name, 0.0); }

std::string seconds_text(double seconds) { return span_text(seconds / 60.0); }

std::string percent_of_time(double minutes, const json& summary) {
    const double whole = number(summary, "duration_hours") * 60.0;
    return whole > 0 ? " (" + figure(minutes / whole * 100.0) + " %)" : "";
}

std::string minutes(const json& summary, const char* name) {
    return span_text(number(summary, name)) + percent_of_time(number(summary, name), summary);
}

std::string line(const char* name, const std::string& text) {
    return padded(std::string("  ") + name + " ", 18) + text + "\n";
}

std::string model_text(const json& model) {
    const bool is_closed = model.at("name") == "closed";
    return format_members("{name} loop", model) +
           (is_closed ? format_members(", signal {/signal/0}, exporter {exporter_ms:s}, scrape {scrape_ms:s}", model)
                      : "") +
           format_members(", HPA every {sync_ms:s}, seed {seed}", model);
}

std::string startup_text(const json& model) {
    const std::string delays = delays_text(model.at("startup_ms").get<std::vector<std::int64_t>>());
    return delays.empty() ? "at once: no delay was given" : delays + "; each new replica gets a random one";
}

// Returns the time above target, as a share of the recorded time; gaps count as neither above nor below.
std::string above_text(const json& sums) {
    const double whole = number(sums, "duration_hours") * 60.0;
    const double covered = number(sums, "minutes_with_data");
    if (covered <= 0) return "; above target: unknown, the recording has no values";
    const double above = number(sums, "minutes_above_target");
    std::string out = "; above target " + span_text(above) + " (" + figure(above / covered * 100.0) + " %)";
    constexpr double whole_enough = 0.995;
    if (covered < whole * whole_enough) {
        out += " of the " + span_text(covered) + " that the recording covers, " + figure(covered / whole * 100.0) +
               " % of the time";
    }
    return out;
}

// Returns "2 to 6 replicas (4 to 12 GPUs)"; without GPUs if a replica has one GPU.
std::string replicas_text(const json& report) {
    const double least = number(report.at("summary"), "least_replicas");
    const double most = number(report.at("summary"), "most_replicas");
    const double gpus = number(report.at("policy"), "gpus_per_replica");
    const auto range = [&](double each) { return figure(least * each, 3) + " to " + figure(most * each, 3); };
    return range(1) + " replicas" + (gpus == 1 ? "" : " (" + range(gpus) + " GPUs)");
}

std::string late_text(const json& sums) {
    const auto p95 = lateness_minutes(sums, "p95");
    if (!p95) return "";
    return "; late " + span_text(*lateness_minutes(sums, "p50")) + " (p50), " + span_text(*p95) + " (p95)";
}

// Returns for example "ready replicas 1.5 min, 2 min": median and 95th percentile of each stage that was reached.
std::string stages_text(const json& late) {
    std::vector<std::string> out;
    for (const auto& [name, words] :
         {std::pair{"decision_seconds", "the decision"}, std::pair{"ready_seconds", "ready replicas"},
          std::pair{"below_seconds", "below target again"}}) {
        if (!late.contains(name)) continue;
        out.push_back(std::string(words) + " " + seconds_text(number(late.at(name), "p50")) + ", " +
                      seconds_text(number(late.at(name), "p95")));
    }
    return joined(out, "; ");
}

const char* cause_word(const std::string& cause) {
    static const std::map<std::string, const char*> words{
        {"polling", "polling"},       {"metric_age", "age of the metric"},
        {"tolerance", "tolerance"},   {"stabilization", "stabilization"},
        {"rate_limit", "rate limit"}, {"maximum", "maximum"},
        {"startup", "start-up"},      {"node", "no node"}};
    const auto found = words.find(cause);
    return found == words.end() ? "other" : found->second;
}

// Returns the lines about lateness: stages, causes, and the longest rise.
std::string lateness_lines(const json& sums) {
    const json& late = sums.at("lateness");
    if (late.at("rises") == 0) return "";
    std::string out =
        line("late", counted(integer_at(late, "rises"), "rise") + " above target; p50, p95 until " + stages_text(late));
    std::vector<std::pair<double, std::string>> causes;
    for (const auto& [name, minutes] : late.at("cause_minutes").items()) {
        causes.emplace_back(-minutes.get<double>(), std::string(cause_word(name)) + " " + span_text(minutes));
    }
    std::sort(causes.begin(), causes.end());
    std::vector<std::string> words;
    for (const auto& [order, text] : causes) words.push_back(text);
    out += line("late by", joined(words, ", "));
    const json& longest = late.at("longest").at(0);
    return out + line("latest", text_at(longest, "time") + ", " + seconds_text(number(longest, "below_seconds")) +
                                    (longest.at("is_below") ? "" : " and not below at the end") + ": " +
                                    cause_word(text_at(longest, "cause")));
}

std::string limited_text(const json& limits) {
    std::string out;
    for (const auto& [name, value] : limits.items()) {
        if (name == "none") continue;
        out += (out.empty() ? "" : ", ") + name + " " + span_text(value.get<double>());
    }
    return out.empty() ? "nothing" : out;
}

std::string input_text(const json& input) {
    std::string out = format_members("{points:0} points, step {step_ms:s}", input);
    for (const char* flaw : {"gaps", "duplicates", "unordered", "not_a_number", "failed_reads"}) {
        if (number(input, flaw) > 0) out += std::string(", ") + flaw + " " + figure(number(input, flaw), 0);
    }
    return out;
}

std::string forecast_text(const json& forecast) {
    return format_members("{mode}, {state} at the end; lead ", forecast) +
           figure(number(forecast, "lead_ms") / 60'000) +
           format_members(" min; raised {minutes_raised:1} min; error ", forecast) +
           figure(number(forecast, "error"), 2) + " against " + figure(number(forecast, "error_last_value"), 2) +
           " for the last value" +
           format_members_if_known("; history {/history/outcome}, {/history/slots:0} values", forecast);
}

// low_values: the lowest value of each point; for the range, which is also the line's scale.
std::string curve(const char* name, const json& array, const json& low_values) {
    const std::vector<double> values = numbers_in(array);
    double low = INFINITY;
    double high = -INFINITY;
    for (const double value : numbers_in(low_values)) low = std::fmin(low, value);
    for (const double value : values) high = std::fmax(high, value);
    if (low > high) return "";
    return line(name,
                sparkline(values, curve_columns, value_range{low, high}) + "  " + figure(low) + " .. " + figure(high));
}

}  // namespace

std::optional<double> lateness_minutes(const json& summary, const char* quantile) {
    const json& late = summary.at("lateness");
    if (late.at("rises") == 0) return std::nullopt;
    return number(late.at("below_seconds"), quantile) / 60.0;
}

std::string span_text(double minutes) {
    constexpr double hour = 60.0;
    constexpr double day = 24 * hour;
    if (minutes > 0 && minutes < 1) return figure(minutes * 60) + " s";
    if (minutes < 10 * hour) return figure(minutes) + " min";
    return minutes < 10 * day ? figure(minutes / hour) + " h" : figure(minutes / day) + " days";
}

std::string report_conclusion(const json& report) {
    const json& sums = report.at("summary");
    const double hours = number(sums, "duration_hours");
    std::string out = figure(number(sums, "gpu_hours")) + " GPU-hours in " +
                      (hours < 240 ? figure(hours) + " h" : span_text(hours * 60));
    if (number(sums, "cost") > 0) out += " (cost " + figure(number(sums, "cost"), 2) + ")";
    const double recorded = number(sums, "recorded_replica_hours");
    if (recorded > 0 && number(sums, "minutes_with_data") > 0) {  // without data no saving can be computed
        const double change = (number(sums, "replica_hours") / recorded - 1.0) * 100.0;
        out += ", " + figure(std::abs(change)) + (change <= 0 ? " % less" : " % more") + " than recorded";
    }
    out += above_text(sums) + late_text(sums) + format_members("; {flaps:0}", sums) +
           (sums.at("flaps") == 1 ? " flap; " : " flaps; ") + replicas_text(report) + ".";
    if (report.at("model").at("name") == "open") out += " Open loop: without the effect of scaling on the metric.";
    return out;
}

namespace {

// Returns for example "util 87 > 66; ": the value that decided a change, and the level that it passed; "" without a value.
std::string drive_text(const json& report, const json& event) {
    if (!event.contains("value")) return "";
    const json& policy = report.at("policy");
    json metric = policy.value("formula", json::object());
    for (const json& entry : policy.at("metrics"))
        if (entry.at("metric") == event.at("metric")) metric = entry;
    const bool is_up = event.at("desired_replicas").get<int>() > event.at("current_replicas").get<int>();
    const bool asks_for_less = event.at("proposed_replicas").get<int>() < event.at("desired_replicas").get<int>();
    const bool is_average = metric.at("target_type") == "AverageValue";
    const double each = is_average ? std::max(event.at("current_replicas").get<int>(), 1) : 1;
    const double level = number(metric, is_up ? "above" : "target") * each;
    const double value = number(event, "value");
    const char* const against = value > level ? " > " : value < level ? " < " : " = ";
    const std::string now = text_at(event, "metric") + " " + figure(value, 2) + against + figure(level, 2) + "; ";
    // An increase by an earlier proposal, which a limit had delayed.
    const bool is_earlier = is_up && asks_for_less && event.at("source") == "hpa";
    return is_earlier ? "an earlier proposal within the stabilization window; now " + now : now;
}

std::string events(const json& report) {
    const json& all = report.at("events");
    std::string out;
    for (std::size_t i = 0; i < std::min(all.size(), shown_events); ++i) {
        const json& event = all[i];
        out += format_members("  {time}  {current_replicas} -> {desired_replicas}  ", event) +
               drive_text(report, event) +
               format_members(event.at("limited_by") == "none" ? "{reason}\n" : "{reason}; {limited_by}\n", event);
    }
    const double rest = static_cast<double>(all.size()) - shown_events + number(report, "events_left_out");
    if (rest > 0)
        out += "  ... and " + figure(rest, 0) + " more; --output json and --html have them with their reasons\n";
    return out.empty() ? out : "Changes:\n" + out;
}

std::string change_text(double now, double before) {
    if (!(before > 0)) return "";
    const double percent = (now / before - 1) * 100;
    return " (" + std::string(percent < 0 ? "" : "+") + figure(percent) + " %)";
}

// Returns a line per entry of "compared": minutes above target and replica-hours, compared with the first entry.
std::string compared_lines(const json& compared) {
    std::string out;
    const json& first = compared.at(0).at("summary");
    for (const json& entry : compared) {
        const auto part = [&](const char* name, const char* unit) {
            const double now = number_at(entry.at("summary"), name);
            return figure(now) + unit + (&entry == &compared.at(0) ? "" : change_text(now, number_at(first, name)));
        };
        out += line("", text_at(entry, "name") + ": above target " + part("minutes_above_target", " min") + ", " +
                            part("replica_hours", " replica-hours"));
    }
    return out;
}

// Returns a report for a terminal: conclusion, figures and sparklines.
std::string report_text(const json& report) {
    const json& sums = report.at("summary");
    std::string out = full_name_in(report) + ": " + report_conclusion(report) + "\n";
    out += line("time", format_members("{from} to {to}, {steps:0} decisions", sums));
    out += line("model", model_text(report.at("model")));
    out += line("start-up", startup_text(report.at("model")));
    out += line("input", input_text(report.at("input")));
    out += line("replicas",
                format_members(
                    "mean {mean_replicas:2}; {scale_ups:0} up, {scale_downs:0} down, {flaps:0} of them flaps", sums));
    out += line("at min", minutes(sums, "minutes_at_min") + "; at max " + minutes(sums, "minutes_at_max") +
                              "; at zero " + minutes(sums, "minutes_at_zero"));
    out += line("saturated", minutes(sums, "minutes_saturated") + "; low confidence " +
                                 minutes(sums, "minutes_low_confidence") + "; no value " +
                                 minutes(sums, "minutes_without_value"));
    out += lateness_lines(sums);
    out += line("limited by", limited_text(sums.at("limited_minutes")));
    if (report.contains("forecast")) out += line("forecast", forecast_text(report.at("forecast")));
    if (report.contains("compared")) out += compared_lines(report.at("compared"));
    if (report.contains("chart")) {
        const json& chart = report.at("chart");
        out += curve("value", chart.at("value_high"), chart.at("value_low"));
        out += curve("proposed", chart.at("proposed"), chart.at("proposed"));
        out += curve("replicas", chart.at("replicas"), json::array({sums.at("least_replicas")}));
    }
    for (const json& warning : report.at("warnings")) out += line("note", warning.get<std::string>());
    return out + events(report);
}

constexpr int page_points = 6'000;  // so many that a zoom into several weeks shows more detail

std::string report_page(json report) {
    for (json& event : report["events"]) event["drive"] = drive_text(report, event);
    return report_file(report_html, {{"TITLE", escaped(full_name_in(report))},
                                     {"CONCLUSION", escaped(report_conclusion(report))},
                                     {"UPLOT_CSS", assets::uplot_css},
                                     {"UPLOT_JS", assets::uplot_js},
                                     {"REPORT", for_script(report)}});
}

int print_verification(const json& report, bool as_json) {
    const json& verification = report.at("verification");
    const bool all = verification.at("same") == verification.at("decisions");
    if (as_json) {
        std::cout << report.dump() << "\n";
    } else {
        std::cout << full_name_in(report)
                  << format_members(": {same} of {decisions} decisions are as logged\n", verification);
        if (!all) std::cout << format_members("first difference: {first_difference}\n", verification);
    }
    return all ? done : finding;
}

int replay(const replay_options& options) {
    replay_input input = read_replay_input(options);
    if (!options.html.empty()) input.settings["chart_points"] = page_points;
    const json report = report_of(input, json::object());
    if (!options.verify.empty()) return print_verification(report, options.shared.json());
    if (!options.html.empty()) replace_text(options.html, report_page(report), readers::everybody);
    std::cout << (options.shared.json() ? report.dump() + "\n" : report_text(report));
    if (report.contains("nodes") && !options.shared.json()) std::cout << nodes_text(report["nodes"]);
    return done;
}

void add_input_options(CLI::App& app, replay_options& options) {
    option_list add(app, "Input");
    add("--series", options.series,
        "CSV (time,value[,replicas], or a line per container: time,container,value), a saved query_range response, "
        "or the log of gputided run; repeatable, one per metric in manifest order; - for standard input");
    add("--from", options.from,
        "query the manifest's trigger for its past from this time on, such as -7d; with --series: start of the part "
        "to replay");
    add("--to", options.to, "end of the past or of the part; default: now");
    add("--step", options.step, "time between two points of the past");
    add("--cache", options.cache, "file that caches the fetched past; the next run continues it");
    add("--sizes", options.sizes, "file with the recorded replica counts: CSV with a column replicas, or a run log");
    add("--replicas N", options.recorded_replicas, "replicas of the workload while the series was recorded").range(0);
    add("--verify", options.verify,
        "a log of gputided run: repeat its decisions and compare them; exit status 1 if they differ");
    add_timeout(add, options.timeout_ms, "for each query of the past");
}

void add_model_options(CLI::App& app, replay_options& options) {
    option_list add(app, "How");
    add("--model", options.model,
        "open: the metric stays as recorded; closed: it follows from load and replicas; default: closed if "
        "the first metric is a mean over replicas and their recorded number is known, otherwise open")
        .one_of({"open", "closed"});
    add("--signal", options.signals, "kind of each metric in the closed loop: utilization, queue or total")
        .one_of({"utilization", "queue", "total"});
    add("--saturation", options.saturation, "maximum of a utilization");
    add("--startup", options.startup,
        "start-up delays of new replicas, as 60s,90s,200s, or measured delays, as @delays.csv: each "
        "replica gets a random one; 4m+node adds the longest delay_s of --pools")
        .split_by(',');
    add("--seed", options.seed, "seed of the random start-up delays");
    add("--initial N", options.initial_replicas, "replicas at the start; default: as recorded, else the minimum")
        .range(0);
    add("--exporter-lag", options.exporter,
        "interval of the exporter; default: 30s in a closed loop, 0 in an open loop");
    add("--scrape-lag", options.scrape,
        "interval of Prometheus' scrapes; default: 15s in a closed loop, 0 in an open loop");
    add("--poll", options.poll, "KEDA's polling interval; default: the manifest's");
    add("--sync", options.sync, "the HPA's sync period; default: the manifest's");
    add("--hold", options.hold, "how long a recorded value is valid; default: 1.5 steps");
    add("--above", options.above, "per metric: the level of 'above target'; default: the target and its tolerance")
        .split_by(',');
    add("--flap-window", options.flap_window, "a reverse change within this time is a flap; default: 10m");
    add("--gpus-per-replica", options.gpus_per_replica, "default: the manifest's, or 1");
    add("--cost-per-gpu-hour", options.cost_per_gpu_hour, "default: the manifest's");
    add("--pools FILE", options.pools,
        "JSON with node pools and the pod of a replica (docs/nodes.md); simulates nodes and their cost");
    add("--set", options.set, "change the policy: threshold=60, down_window_s=120, in_flight_guard=true; repeatable");
}

}  // namespace

void add_replay_options(CLI::App& app, replay_options& options, const char* html) {
    add_manifest_options(app, options.shared);
    add_output_option(app, options.shared);
    option_list add(app);
    add("--html", options.html, html);
    add_input_options(app, options);
    add_model_options(app, options);
    add_trust_options(app, options.shared);
}

void add_replay(subcommands& commands) {
    replay_options& options =
        commands.add("replay", "Run recorded metrics through the decision code: replicas, GPU-hours, time above target",
                     "gputided replay -f so.yaml --from -7d --step 15s --cache week.csv --html week.html\n"
                     "gputided replay -f so.yaml --series day.csv --model closed --replicas 4 --startup 90s,150s",
                     &replay);
    add_replay_options(commands.app(), options, "write the report with charts: an HTML file that loads nothing");
}

}  // namespace gputided
