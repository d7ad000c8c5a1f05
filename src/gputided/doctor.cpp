// gputided doctor: examines the triggers of manifests, or a cluster, step by step, and names the fix of each fault.  Prints the
// problems of a running gputided.
#include "common/options.hpp"
#include "common/text.hpp"
#include "help/help.hpp"
#include "run/pages/pages.hpp"
#include "run/problems/problems.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>

namespace gputided {
namespace {

struct doctor_options {
    shared_options shared;
    std::int32_t current = -1;  // -1: the manifest's minimum
    std::int32_t ready = -1;    // -1: as current
    std::int32_t timeout_ms = 20'000;
    cluster_options cluster;
    std::string running;     // address of a gputided; "": none
    std::string token_file;  // of that gputided
};

constexpr std::size_t library_width = 110;
constexpr std::size_t conclusion_column = 2;  // of its second line; the first begins at 0

// Words of the library's text that begin the line of a step, with their colors (SGR parameters).
struct step_mark {
    std::string_view start;
    std::size_t size;
    const char* color;
};
constexpr step_mark step_marks[] = {{"  ok      ", 2, "32"}, {"  warning ", 7, "33"}, {"  FAILED  ", 6, "31"}};

const step_mark* step_mark_of(std::string_view line) {
    const auto* const found =
        std::ranges::find_if(step_marks, [&](const step_mark& row) { return line.starts_with(row.start); });
    return found == std::end(step_marks) ? nullptr : found;
}

// Returns the column at which the further lines of this line's paragraph begin; 0: it is a line by itself.
std::size_t column_after(std::string_view line, bool is_first) {
    constexpr std::size_t remedy = 11, step = 23;
    if (is_first) return conclusion_column;
    if (step_mark_of(line) != nullptr) return step;
    return line.starts_with("    Cause  ") || line.starts_with("    Fix    ") ? remedy : 0;
}

// Wraps the library's text, which has lines of library_width columns, to the terminal's width, and colors its marks.
std::string terminal_text(const std::string& lines) {
    struct paragraph {
        std::string text;
        std::size_t column;
    };
    std::vector<paragraph> all;
    for (const std::string& line : split(lines.substr(0, lines.size() - 1), '\n')) {
        const std::size_t column = all.empty() ? 0 : all.back().column;
        const bool goes_on = column > 0 && line.find_first_not_of(' ') == column;
        if (goes_on) all.back().text += " " + line.substr(column);
        if (!goes_on) all.push_back({line, column_after(line, all.empty())});
    }
    const std::size_t width = output_width(library_width);
    const bool has_colors = is_colored();
    std::string out;
    for (const auto& [text, column] : all) {
        const std::size_t start = column == conclusion_column ? 0 : std::min(column, text.size());
        std::string shown = column == 0
                                ? text + "\n"
                                : text.substr(0, start) + wrapped(text.substr(start), column, width).substr(column);
        const step_mark* const found = has_colors ? step_mark_of(shown) : nullptr;
        if (found != nullptr)
            shown.replace(2, found->size,
                          "\x1b[" + std::string(found->color) + "m" + shown.substr(2, found->size) + "\x1b[0m");
        out += shown;
    }
    return out;
}

// Prints a diagnosis, and under which codes a running gputided lists what was found.
int show(const doctor_options& options, const gputide::diagnosis& diagnosis) {
    ordered_json report = ordered_json::parse(diagnosis.report);
    std::vector<std::string> codes;
    report["problems"] = ordered_json::array();
    for (const problem& problem : problems_of_diagnosis(report)) {
        codes.push_back(problem.code + (problem.subject.empty() ? "" : " (" + problem.subject + ")"));
        report["problems"].push_back(problem_json(problem));
    }
    const std::string listed =
        codes.empty() ? "" : "\n" + terminal_text("gputided run lists these problems: " + joined(codes, ", ") + "\n");
    std::cout << (options.shared.json() ? dumped(report) + "\n" : terminal_text(diagnosis.lines) + listed)
              << std::flush;
    return report.at("verdict") == "failed" ? finding : done;
}

// Prints /problems.json of a running gputided.
int show_running(const doctor_options& options) {
    const std::string token = options.token_file.empty() ? "" : read_token(options.token_file);
    const page_read page = read_page(options.running, "/problems.json", token, options.timeout_ms);
    if (!page.failure.empty()) {
        return report_failure(source_failed, page.failure, {{"code", "no_answer"}, {"message", page.failure}},
                              options.shared.json());
    }
    const json list = json::parse(page.body);
    std::cout << (options.shared.json() ? page.body + "\n" : problems_text(list)) << std::flush;
    const json& all = list.at("problems");
    const auto is_warning = [](const json& entry) { return entry.at("severity") != "info"; };
    return std::ranges::any_of(all, is_warning) ? finding : done;
}

int examine(const std::string& name, const doctor_options& options, const std::vector<manifest_file>& files) {
    gputide::observation observation;
    observation.at(unix_now_ms()).current(options.current);
    if (options.ready >= 0) observation.ready(options.ready);
    const gputide::diagnosis diagnosis =
        gputide::doctor(files.front().text, library_options(options.shared, files).scaler(name),
                        options.current >= 0 ? &observation : nullptr, options.timeout_ms);
    return show(options, diagnosis);
}

int doctor(const doctor_options& options) {
    if (!options.running.empty()) return show_running(options);
    if (options.cluster.kubernetes) {
        return show(options, gputide::doctor_cluster(cluster_settings(options.cluster).dump(),
                                                     library_options(options.shared, {{"--kubernetes", ""}}),
                                                     options.timeout_ms));
    }
    const std::vector<manifest_file> files = read_manifests(options.shared);
    int worst = done;
    bool first = true;
    for (const std::string& name : scaler_names(options.shared, files)) {
        if (!std::exchange(first, false) && !options.shared.json()) std::cout << "\n";
        worst = std::max(worst, examine(name, options, files));
    }
    return worst;
}

}  // namespace

void add_doctor(subcommands& commands) {
    doctor_options& options = commands.add(
        "doctor", "Test each trigger, or the access to a cluster; print what fails, the likely cause and the fix",
        "gputided doctor -f so.yaml\n"
        "gputided doctor --kubernetes --kubeconfig ~/.kube/config\n"
        "gputided doctor --running 127.0.0.1:9105",
        &doctor);
    CLI::App& app = commands.app();
    add_manifest_options(app, options.shared, false);
    add_cluster_options(
        app, options.cluster,
        "check a cluster instead of -f: whether run --kubernetes can work there, and which rights are missing");
    add_output_option(app, options.shared);
    option_list add(app);
    add("--current N", options.current, "current spec.replicas of the target; default: the manifest's minimum")
        .range(0);
    add("--ready N", options.ready, "ready pods; default: same as --current").range(0);
    add("--running ADDRESS", options.running,
        "instead of -f: print the problems of a running gputided; its --listen address");
    add("--listen-token-file FILE", options.token_file, "with --running: its --listen-token-file");
    add_timeout(add, options.timeout_ms, "for all steps of one scaler together");
    add_trust_options(app, options.shared);
    app.parse_complete_callback([&options] {
        const bool is_running = !options.running.empty();
        if (!is_running) return check_files_or_cluster(options.shared, options.cluster.kubernetes);
        if (options.cluster.kubernetes || !options.shared.files.empty())
            throw CLI::ValidationError("give either --running, or --file or --kubernetes");
    });
}

}  // namespace gputided
