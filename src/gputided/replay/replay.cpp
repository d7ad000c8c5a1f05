#include "replay/replay.hpp"

#include "common/files.hpp"
#include "common/log.hpp"
#include "common/page.hpp"
#include "report_html.hpp"

#include <iostream>

namespace gputided {

// uPlot, or "" in a build without it.  CMake generates replay_assets.cpp.
namespace assets {
extern const char* const uplot_css;
extern const char* const uplot_js;
}  // namespace assets

namespace {

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
        std::cout << full_name_in(report) << ": " << verification.at("same") << " of " << verification.at("decisions")
                  << " decisions are as logged\n";
        if (!all) std::cout << "first difference: " << text_at(verification, "first_difference") << "\n";
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

void add_flags(CLI::App& app, replay_options& options) {
    add_replay_options(app, options, "write the report with charts: an HTML file that loads nothing");
}

void add_input_options(CLI::App& app, replay_options& options) {
    add_options(
        app, "Input",
        {{"--series", &options.series,
          "CSV (time,value[,replicas], or a line per container: time,container,value), a saved query_range response, "
          "or the log of gputided run; repeatable, one per metric in manifest order; - for standard input"},
         {"--from", &options.from,
          "query the manifest's trigger for its past from this time on, such as -7d; with --series: start of the part "
          "to replay"},
         {"--to", &options.to, "end of the past or of the part; default: now"},
         {"--step", &options.step, "time between two points of the past"},
         {"--cache", &options.cache, "file that caches the fetched past; the next run continues it"},
         {"--sizes", &options.sizes, "file with the recorded replica counts: CSV with a column replicas, or a run log"},
         option_row("--replicas", &options.recorded_replicas, "replicas of the workload while the series was recorded")
             .type("N")
             .range(0),
         {"--verify", &options.verify,
          "a log of gputided run: repeat its decisions and compare them; exit status 1 if they differ"},
         timeout_row(options.timeout_ms, "for each query of the past")});
}

void add_model_options(CLI::App& app, replay_options& options) {
    add_options(
        app, "How",
        {option_row("--model", &options.model,
                    "open: the metric stays as recorded; closed: it follows from load and replicas; default: closed if "
                    "the first metric is a mean over replicas and their recorded number is known, otherwise open")
             .one_of({"open", "closed"}),
         option_row("--signal", &options.signals, "kind of each metric in the closed loop: utilization, queue or total")
             .one_of({"utilization", "queue", "total"}),
         {"--saturation", &options.saturation, "maximum of a utilization"},
         option_row("--startup", &options.startup,
                    "start-up delays of new replicas, as 60s,90s,200s, or measured delays, as @delays.csv: each "
                    "replica gets a random one; 4m+node adds the longest delay_s of --pools")
             .split_by(','),
         {"--seed", &options.seed, "seed of the random start-up delays"},
         option_row("--initial", &options.initial_replicas,
                    "replicas at the start; default: as recorded, else the minimum")
             .type("N")
             .range(0),
         {"--exporter-lag", &options.exporter,
          "interval of the exporter; default: 30s in a closed loop, 0 in an open loop"},
         {"--scrape-lag", &options.scrape,
          "interval of Prometheus' scrapes; default: 15s in a closed loop, 0 in an open loop"},
         {"--poll", &options.poll, "KEDA's polling interval; default: the manifest's"},
         {"--sync", &options.sync, "the HPA's sync period; default: the manifest's"},
         {"--hold", &options.hold, "how long a recorded value is valid; default: 1.5 steps"},
         option_row("--above", &options.above,
                    "per metric: the level of 'above target'; default: the target and its tolerance")
             .split_by(','),
         {"--flap-window", &options.flap_window, "a reverse change within this time is a flap; default: 10m"},
         {"--gpus-per-replica", &options.gpus_per_replica, "default: the manifest's, or 1"},
         {"--cost-per-gpu-hour", &options.cost_per_gpu_hour, "default: the manifest's"},
         option_row("--pools", &options.pools,
                    "JSON with node pools and the pod of a replica (docs/nodes.md); simulates nodes and their cost")
             .type("FILE"),
         {"--set", &options.set,
          "change the policy: threshold=60, down_window_s=120, in_flight_guard=true; repeatable"}});
}

}  // namespace

void add_replay_options(CLI::App& app, replay_options& options, const char* html) {
    add_manifest_options(app, options.shared);
    add_output_option(app, options.shared);
    add_options(app, "", {{"--html", &options.html, html}});
    add_input_options(app, options);
    add_model_options(app, options);
    add_trust_options(app, options.shared);
}

void add_replay(subcommands& commands) {
    commands.add("replay", "Run recorded metrics through the decision code: replicas, GPU-hours, time above target",
                 "gputided replay -f so.yaml --from -7d --step 15s --cache week.csv --html week.html\n"
                 "gputided replay -f so.yaml --series day.csv --model closed --replicas 4 --startup 90s,150s",
                 &replay, &add_flags);
}

}  // namespace gputided
