// gputided check: prints errors and warnings of manifests, or the pages of findings.json, which is also the source of the table in
// docs/findings.md.  Uses no network.
#include "common/options.hpp"
#include "common/text.hpp"
#include "findings_json.hpp"
#include "help/help.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>

namespace gputided {
namespace {

// Returns the rows of findings.json.  "sources" has texts such as "owner/name#1", or a repository and a path.
const ordered_json& finding_pages() {
    static const ordered_json pages = ordered_json::parse(findings_json);
    return pages;
}

// Returns null for an unknown code.
const ordered_json* find_page(const std::string& code) {
    for (const ordered_json& page : finding_pages()) {
        if (page.at("code") == code) return &page;
    }
    return nullptr;
}

// Returns "https://github.com/kedacore/keda/issues/4148" for "kedacore/keda#4148", and any other text unchanged.
std::string link_of(const std::string& source) {
    const std::size_t number = source.find('#');
    const bool is_issue = number != std::string::npos && source.find(' ') == std::string::npos &&
                          source.find_first_not_of("0123456789", number + 1) == std::string::npos;
    return is_issue ? "https://github.com/" + source.substr(0, number) + "/issues/" + source.substr(number + 1)
                    : source;
}

std::string paragraph(const std::string& text) { return wrapped(text, 2, output_width()); }

void print_page(const ordered_json& page) {
    std::cout << text_at(page, "code") << " (" << text_at(page, "severity") << "): " << text_at(page, "title")
              << "\n\nWhat is written\n"
              << paragraph(text_at(page, "what")) << "\nWhat happens\n"
              << paragraph(text_at(page, "why")) << "\nWhat to do\n"
              << paragraph(text_at(page, "do"));
    const ordered_json& sources = page.at("sources");
    if (!sources.empty()) std::cout << "\nSources\n";
    for (const std::string source : sources) std::cout << "  " << link_of(source) << "\n";
}

// Converts a path to a relative URI by escaping bytes that are not unreserved (RFC 3986, 2.3).  Standard input is "stdin".
std::string uri_of(const std::string& path) {
    constexpr char digits[] = "0123456789ABCDEF";
    if (path.empty() || path == "-") return "stdin";
    std::string out;
    for (const char letter : path) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool is_plain =
            (byte < 0x80 && std::isalnum(byte) != 0) || std::string("-._~/").find(letter) != std::string::npos;
        if (is_plain) {
            out += letter;
        } else {
            out += {'%', digits[byte >> 4], digits[byte & 0xF]};
        }
    }
    return out.compare(0, 2, "./") == 0 ? out.substr(2) : out;
}

ordered_json rule_of(const std::string& code, const std::string& severity) {
    const ordered_json* page = find_page(code);
    if (page == nullptr) return {{"id", code}, {"defaultConfiguration", {{"level", severity}}}};
    const std::string why = text_at(*page, "why"), remedy = text_at(*page, "do");
    std::string help = why + "\n\n" + remedy;
    std::string markdown = why + "\n\n**What to do:** " + remedy;
    for (const std::string source : page->at("sources")) {
        help += "\n" + link_of(source);
        markdown += "\n- " + link_of(source);
    }
    return {{"id", code},
            {"shortDescription", {{"text", page->at("title")}}},
            {"fullDescription", {{"text", page->at("what")}}},
            {"help", {{"text", help}, {"markdown", markdown}}},
            {"defaultConfiguration", {{"level", page->at("severity")}}}};
}

ordered_json location_of(const ordered_json& found) {
    ordered_json place = {{"artifactLocation", {{"uri", uri_of(found.at("file"))}}}};
    const std::int64_t line = integer_at(found, "line");
    const std::int64_t column = integer_at(found, "column");
    if (line > 0) place["region"] = {{"startLine", line}};
    if (line > 0 && column > 0) place["region"]["startColumn"] = column;
    ordered_json out = {{"physicalLocation", std::move(place)}};
    const std::string path = found.at("path");
    if (!path.empty()) out["logicalLocations"] = ordered_json::array({{{"fullyQualifiedName", path}}});
    return out;
}

ordered_json result_of(const ordered_json& found, std::size_t rule) {
    const std::string remedy = text_at(found, "remedy");
    return {{"ruleId", found.at("code")},
            {"ruleIndex", rule},
            {"level", found.at("severity")},
            {"message", {{"text", text_at(found, "message") + (remedy.empty() ? "" : ": " + remedy)}}},
            {"locations", ordered_json::array({location_of(found)})}};
}

// Prints a page, or all codes with their titles if `code` is empty.  as_json: prints the rows.  Throws usage_error for an unknown
// code.
void print_pages(const std::string& code, bool as_json) {
    const ordered_json* page = code.empty() ? nullptr : find_page(code);
    if (!code.empty() && page == nullptr) {
        throw usage_error("check: unknown finding " + one_line(code) + "; gputided check --explain lists all codes");
    }
    if (as_json) {
        std::cout << (page != nullptr ? ordered_json::array({*page}) : finding_pages()).dump() << "\n";
    } else if (page != nullptr) {
        print_page(*page);
    } else {
        for (const ordered_json& row : finding_pages()) {
            std::cout << padded(text_at(row, "code") + " ", 27) << text_at(row, "title") << "\n";
        }
    }
}

// Converts a report of gputide_manifest_check ({"errors", "warnings", "findings": [...]}) to SARIF 2.1.0 (OASIS), which code
// hosts show as annotations of a change.
ordered_json sarif_of(const ordered_json& report) {
    std::vector<std::string> codes;
    ordered_json rules = ordered_json::array();
    ordered_json results = ordered_json::array();
    for (const ordered_json& found : report.at("findings")) {
        const std::string code = found.at("code");
        auto at = std::ranges::find(codes, code);
        if (at == codes.end()) {
            rules.push_back(rule_of(code, found.at("severity")));
            at = codes.insert(codes.end(), code);
        }
        results.push_back(result_of(found, static_cast<std::size_t>(at - codes.begin())));
    }
    ordered_json driver = {{"name", "gputided"},
                           {"semanticVersion", gputide_version()},
                           {"informationUri", "https://github.com/gputide/gputide"},
                           {"rules", std::move(rules)}};
    ordered_json run = {{"tool", {{"driver", std::move(driver)}}}, {"results", std::move(results)}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", ordered_json::array({std::move(run)})}};
}

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
    const manifests_read found = read_those_readable(options.shared);
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

}  // namespace

void add_check(subcommands& commands) {
    check_options& options = commands.add("check", "Errors and warnings of manifests, with line and path; no network",
                                          "gputided check -f so.yaml --fail-on-warning", &check);
    CLI::App& app = commands.app();
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
    option_list add(app);
    add("--fail-on-warning", options.fail_on_warning, "exit with 1 if there is a warning");
    add_lookup_options(app, options.shared);
}

}  // namespace gputided
