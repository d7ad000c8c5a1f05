#include "replay/replay.hpp"

#include "common/exit_status.hpp"
#include "common/files.hpp"
#include "replay/input.hpp"
#include "replay/nodes/nodes_of_replay.hpp"
#include "replay/page/page.hpp"
#include "replay/text.hpp"

#include <iostream>

namespace gputided {
namespace {

using json = nlohmann::json;

int print_verification(const json& report, bool as_json) {
    const json& verification = report.at("verification");
    const bool all = verification.at("same") == verification.at("decisions");
    if (as_json) {
        std::cout << report.dump() << "\n";
    } else {
        std::cout << report.at("namespace").get<std::string>() << "/" << report.at("name").get<std::string>() << ": "
                  << verification.at("same") << " of " << verification.at("decisions")
                  << " decisions come out as they were logged\n";
        if (!all) std::cout << "first difference: " << verification.at("first_difference").get<std::string>() << "\n";
    }
    return all ? done : finding;
}

int replay(const replay_options& options) {
    const replay_input input = read_replay_input(options);
    const json report = report_of(input, json::object());
    if (!options.verify.empty()) return print_verification(report, options.shared.json());
    if (!options.html.empty()) replace_text(options.html, report_page(report), readers::everybody);
    std::cout << (options.shared.json() ? report.dump() + "\n" : report_text(report));
    if (report.contains("nodes") && !options.shared.json()) std::cout << nodes_of_replay_text(report["nodes"]);
    return done;
}

void add_flags(CLI::App& app, replay_options& options) {
    add_replay_flags(app, options);
    app.add_option("--html", options.html,
                   "write the report here: one file with its charts, nothing loaded from elsewhere");
}

}  // namespace

void add_replay(subcommands& commands) {
    commands.add("replay", "Recorded metrics through the same decision code: replicas, GPU-hours, time above target",
                 "gputided replay -f so.yaml --from -7d --step 15s --cache week.csv --html week.html\n"
                 "  gputided replay -f so.yaml --series day.csv --model closed --replicas 4 --startup 90s,150s",
                 &replay, &add_flags);
}

}  // namespace gputided
