#include "check/check.hpp"

#include "common/exit_status.hpp"
#include "common/text.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace gputided {
namespace {

int check(const check_options& options) {
    const std::vector<manifest_file> files = read_manifests(options.shared);
    const gputide::check_result checked = gputide::check(files.front().text, library_options(options.shared, files));
    const nlohmann::json report = nlohmann::json::parse(checked.report).at("report");
    const int errors = report.at("errors");
    const int warnings = report.at("warnings");
    if (options.shared.json()) {
        std::cout << checked.report << "\n";
    } else {
        std::cout << checked.lines << counted(errors, "error") << ", " << counted(warnings, "warning") << "\n";
    }
    if (errors > 0) return bad_input;
    return warnings > 0 && options.fail_on_warning ? finding : done;
}

void add_flags(CLI::App& app, check_options& options) {
    add_manifest_flags(app, options.shared);
    add_output_flag(app, options.shared);
    app.add_flag("--fail-on-warning", options.fail_on_warning, "exit with 1 where there is a warning");
    add_lookup_flags(app, options.shared);
}

}  // namespace

void add_check(subcommands& commands) {
    commands.add("check", "Errors and warnings of manifests, with line and path; no network",
                 "gputided check -f so.yaml --fail-on-warning", &check, &add_flags);
}

}  // namespace gputided
