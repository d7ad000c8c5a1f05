// gputided check: prints errors and warnings of manifests.  Uses no network.
#include "check/findings.hpp"
#include "common/files.hpp"
#include "common/json.hpp"
#include "common/log.hpp"
#include "common/options.hpp"
#include "common/text.hpp"

#include <iostream>

namespace gputided {
namespace {

struct check_options {
    shared_options shared;
    bool fail_on_warning = false;
    bool explains = false;
    std::string explained;  // a code; "": all codes
};

struct check_outcome {
    ordered_json report;  // of gputide_manifest_check
    std::string lines;
};

// Returns the finding for an unreadable file, with the members of the library's findings.
ordered_json unreadable_finding(const std::string& path, const std::string& reason) {
    return {{"severity", "error"}, {"code", "unreadable"}, {"file", path},      {"line", 0},
            {"column", 0},         {"path", ""},           {"message", reason}, {"remedy", ""}};
}

check_outcome check_files(const check_options& options) {
    const manifests_read found =
        read_those_readable(options.shared, [](const std::string& path) { return read_text(path); });
    if (found.files.empty()) throw usage_error(found.reasons(), found.unreadable.begin()->first);
    const gputide::check_result checked =
        gputide::check(found.files.front().text, library_options(options.shared, found.files));
    check_outcome out{ordered_json::parse(checked.report),
                      found.reasons() + (found.unreadable.empty() ? "" : "\n") + checked.lines};
    ordered_json& report = out.report.at("report");
    report.at("errors") = report.at("errors").get<std::size_t>() + found.unreadable.size();
    for (const auto& [path, reason] : found.unreadable)
        report.at("findings").push_back(unreadable_finding(path, reason));
    return out;
}

int check(const check_options& options) {
    if (options.explains) {
        print_pages(options.explained, options.shared.json());
        return done;
    }
    const check_outcome found = check_files(options);
    const ordered_json& report = found.report.at("report");
    const std::int64_t errors = integer_at(report, "errors");
    const std::int64_t warnings = integer_at(report, "warnings");
    if (options.shared.json()) {
        std::cout << dumped(found.report) << "\n";
    } else if (options.shared.output == "sarif") {
        std::cout << dumped(sarif_of(report)) << "\n";
    } else {
        std::cout << found.lines << counted(errors, "error") << ", " << counted(warnings, "warning") << "\n";
    }
    if (errors > 0) return bad_input;
    return warnings > 0 && options.fail_on_warning ? finding : done;
}

void add_flags(CLI::App& app, check_options& options) {
    add_manifest_options(app, options.shared, false);
    app.parse_complete_callback([&options] {
        if (!options.explains && options.shared.files.empty()) throw CLI::RequiredError("--file");
    });
    add_output_option(app, options.shared, {"text", "json", "sarif"});
    app.add_option_function<std::vector<std::string>>(
           "--explain",
           [&options](const std::vector<std::string>& codes) {
               options.explains = true;
               if (!codes.empty()) options.explained = codes.front();
           },
           "explain a finding: meaning, reason and remedy; without a code: list all codes")
        ->type_name("CODE")
        ->expected(0, 1);
    add_options(app, "", {{"--fail-on-warning", &options.fail_on_warning, "exit with 1 if there is a warning"}});
    add_lookup_options(app, options.shared);
}

}  // namespace

void add_check(subcommands& commands) {
    commands.add("check", "Errors and warnings of manifests, with line and path; no network",
                 "gputided check -f so.yaml --fail-on-warning", &check, &add_flags);
}

}  // namespace gputided
