#include "check/check.hpp"

#include "check/explain.hpp"
#include "check/sarif.hpp"
#include "common/exit_status.hpp"
#include "common/files.hpp"
#include "common/manifests.hpp"
#include "common/text.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace gputided {
namespace {

using nlohmann::ordered_json;

struct outcome {
    ordered_json report;  // as gputide_manifest_check gives it
    std::string lines;
};

// What cannot be read at all, as the library's own findings are.
ordered_json unreadable_finding(const std::string& path, const std::string& reason) {
    return {{"severity", "error"}, {"code", "unreadable"}, {"file", path},      {"line", 0},
            {"column", 0},         {"path", ""},           {"message", reason}, {"remedy", ""}};
}

outcome check_files(const check_options& options) {
    const manifests_read found =
        read_those_readable(options.shared, [](const std::string& path) { return read_text(path); });
    if (found.files.empty()) throw usage_error(found.reasons());
    const gputide::check_result checked =
        gputide::check(found.files.front().text, library_options(options.shared, found.files));
    outcome out{ordered_json::parse(checked.report),
                found.reasons() + (found.unreadable.empty() ? "" : "\n") + checked.lines};
    ordered_json& report = out.report.at("report");
    report.at("errors") = report.at("errors").get<std::size_t>() + found.unreadable.size();
    for (const auto& [path, reason] : found.unreadable)
        report.at("findings").push_back(unreadable_finding(path, reason));
    return out;
}

void print_document(const ordered_json& document) {
    std::cout << document.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << "\n";
}

int check(const check_options& options) {
    if (options.explains) {
        print_pages(options.explained, options.shared.json());
        return done;
    }
    const outcome found = check_files(options);
    const ordered_json& report = found.report.at("report");
    const int errors = report.at("errors");
    const int warnings = report.at("warnings");
    if (options.shared.json()) {
        print_document(found.report);
    } else if (options.shared.output == "sarif") {
        print_document(sarif_of(report));
    } else {
        std::cout << found.lines << counted(errors, "error") << ", " << counted(warnings, "warning") << "\n";
    }
    if (errors > 0) return bad_input;
    return warnings > 0 && options.fail_on_warning ? finding : done;
}

void add_flags(CLI::App& app, check_options& options) {
    add_manifest_flags(app, options.shared);
    app.get_option("--file")->required(false);
    app.parse_complete_callback([&options] {
        if (!options.explains && options.shared.files.empty()) throw CLI::RequiredError("--file");
    });
    app.add_option("--output", options.shared.output, "text, json, or sarif (SARIF 2.1.0)")
        ->check(CLI::IsMember({"text", "json", "sarif"}))
        ->capture_default_str();
    app.add_option_function<std::vector<std::string>>(
           "--explain",
           [&options](const std::vector<std::string>& codes) {
               options.explains = true;
               if (!codes.empty()) options.explained = codes.front();
           },
           "what a finding means, why, and what to do; without a code: lists them")
        ->type_name("CODE")
        ->expected(0, 1);
    app.add_flag("--fail-on-warning", options.fail_on_warning, "exit with 1 where there is a warning");
    add_lookup_flags(app, options.shared);
}

}  // namespace

void add_check(subcommands& commands) {
    commands.add("check", "Errors and warnings of manifests, with line and path; no network",
                 "gputided check -f so.yaml --fail-on-warning", &check, &add_flags);
}

}  // namespace gputided
