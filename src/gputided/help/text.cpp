// Man pages, --help and usage errors.
#include "common/text.hpp"

#include "gputide/gputide.h"
#include "help/help.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gputided {

namespace {

// Escapes a line for troff: hyphens that can be copied, backslashes, and characters that would start a request.
std::string troff(const std::string& text) {
    std::string out;
    for (const std::string& line : split(text, '\n')) {
        if (!out.empty()) out += "\n";
        if (!line.empty() && (line.front() == '.' || line.front() == '\'')) out += "\\&";
        for (const char letter : line) {
            if (letter == '\\') {
                out += "\\e";
            } else {
                out += letter == '-' ? std::string("\\-") : std::string(1, letter);
            }
        }
    }
    return out;
}

std::string page_name(const std::string& command) {
    std::string out = "gputided-" + command;
    std::replace(out.begin(), out.end(), ' ', '-');
    return out;
}

std::string title(const std::string& name) {
    std::string upper = name;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char letter) { return std::toupper(letter); });
    return ".TH " + troff(upper) + " 1 \"\" \"gputide " + gputide_version() + "\" \"User Commands\"\n";
}

std::string item(const std::string& term, const std::string& text) {
    return ".TP\n.B " + troff(term) + "\n" + troff(text) + "\n";
}

std::string option_text(const option_entry& option) {
    std::string out =
        ".TP\n" + std::string(option.names.empty() ? "" : "\\fB" + troff(joined(option.names, ", ")) + "\\fR");
    if (!option.value.empty()) out += (option.names.empty() ? "\\fI" : " \\fI") + troff(option.value) + "\\fR";
    return out + "\n" + troff(option.help) + "\n";
}

constexpr char exit_statuses[] =
    ".SH EXIT STATUS\n"
    "0: done. 1: a finding. 2: bad usage, a bad manifest or state file, a missing setting. 3: a source or a credential "
    "failed.\n";

constexpr char rest_of_program[] =
    ".SH ENVIRONMENT\n"
    ".TP\n.B KUBECONFIG\nthe cluster, if \\-\\-kubeconfig is not given\n"
    ".TP\n.B http_proxy, https_proxy, all_proxy, no_proxy\nthe proxy of requests; http_proxy in lower case only, the "
    "others in upper case too\n"
    ".TP\n.B SSL_CERT_FILE, SSL_CERT_DIR\nroot certificates instead of the system's, if \\-\\-ca\\-file is not given\n"
    ".TP\n.B USER_ASSIGNED_CLIENT_ID, PROMETHEUS_QUERY_ENDPOINT, KUBECONFIG\nmay be read by manifests as ${NAME}; "
    "others only with \\-\\-allow\\-env\n"
    ".TP\n.B AZURE_*, AWS_*, GOOGLE_*\nthe identity of this machine or workload, as for each cloud's own tools\n"
    ".SH SIGNALS\n"
    ".TP\n.B SIGTERM, SIGINT\nend gputided run\n"
    ".TP\n.B SIGHUP\nreads the manifests of gputided run again\n"
    ".SH FILES\n"
    ".TP\n.I /etc/gputide\nmanifests of the unit gputided.service, which does not start while the folder is empty; "
    "checked every second\n"
    ".TP\n.I /etc/default/gputided\noptions and environment of the unit\n"
    ".TP\n.I /var/lib/gputided/state\nstate of the unit, kept over restarts\n"
    ".SH EXAMPLES\n"
    ".nf\ngputided check so.yaml\ngputided eval \\-f so.yaml \\-\\-current 1\ngputided run \\-f /etc/gputide "
    "\\-\\-dry\\-run\n.fi\n";

}  // namespace

std::string man_page(const std::vector<command_entry>& commands) {
    std::string out = title("gputided") +
                      ".SH NAME\ngputided \\- GPU autoscaling by manifests of KEDA and the HPA\n"
                      ".SH SYNOPSIS\n.B gputided\n.I COMMAND\n[\\fIOPTION\\fR]...\n"
                      ".SH DESCRIPTION\nPolls the metrics that manifests name, decides replica counts as KEDA and the "
                      "HPA would, and writes them.\nData goes to stdout, logs go to stderr.\n.SH COMMANDS\n";
    std::vector<std::string> pages;
    for (const command_entry& command : commands) {
        out += item(command.name, command.about);
        pages.push_back(".BR " + troff(page_name(command.name)) + " (1)");
    }
    return out + exit_statuses + rest_of_program + ".SH SEE ALSO\n" + joined(pages, ",\n") + "\n";
}

std::string man_page_of(const command_entry& command) {
    std::string out = title(page_name(command.name)) + ".SH NAME\n" + troff(page_name(command.name)) + " \\- " +
                      troff(command.about) + "\n.SH SYNOPSIS\n.B gputided " + troff(command.name) +
                      "\n[\\fIOPTION\\fR]...\n.SH OPTIONS\n";
    std::string group = "Options";
    for (const option_entry& option : command.options) {
        if (option.group != group) out += ".SS " + troff(group = option.group) + "\n";
        out += option_text(option);
    }
    return out + ".SH EXAMPLES\n.nf\n" + troff(command.footer) + "\n.fi\n" + exit_statuses +
           ".SH SEE ALSO\n.BR gputided (1)\n";
}

namespace {

constexpr std::size_t names_width = 26;  // of the left column

bool is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

std::string names_of(const option_entry& option) {
    const bool has_short = option.names.empty() || option.names.front().size() == 2;
    std::string out = (has_short ? "  " : "      ") + joined(option.names, ", ");
    return option.value.empty() ? out : out + (option.names.empty() ? "" : " ") + option.value;
}

// Returns the left column with the explanation beside it, or below it if the column is too long.
std::string row_text(const std::string& left, const std::string& right, std::size_t width) {
    const std::string text = wrapped(right, names_width + 2, width);
    if (left.size() > names_width) return left + "\n" + text;
    return padded(left, names_width + 2) + text.substr(names_width + 2);
}

// Counts the characters of a UTF-8 text.
std::size_t character_count(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string indented(const std::string& text) {
    std::string out;
    for (const std::string& line : split(text, '\n')) out += "  " + line + "\n";
    return out;
}

// Returns the groups in the order of their first option; options without a group are first.
std::vector<std::string> groups_of(const std::vector<option_entry>& options) {
    std::vector<std::string> out{"Options"};
    for (const option_entry& option : options) {
        if (std::ranges::find(out, option.group) == out.end()) out.push_back(option.group);
    }
    return out;
}

std::string options_text(const std::vector<option_entry>& options, std::size_t width) {
    std::string out;
    for (const std::string& group : groups_of(options)) {
        out += "\n" + group + ":\n";
        for (const option_entry& option : options) {
            if (option.group == group) out += row_text(names_of(option), option.help, width);
        }
    }
    return out;
}

std::string root_text(const CLI::App& root, std::size_t width) {
    std::string out =
        "Usage: gputided COMMAND [OPTION]...\n" + wrapped(root.get_description(), 0, width) + "\nCommands:\n";
    for (const command_entry& command : command_entries(root))
        out += row_text("  " + command.name, command.about, width);
    return out + options_text(command_entry_of(root).options, width) + "\n" + wrapped(root.get_footer(), 0, width);
}

std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t k = 0; k < b.size(); ++k) {
            const std::size_t replaced = diagonal + (a[i] == b[k] ? 0 : 1);
            diagonal = row[k + 1];
            row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
        }
    }
    return row.back();
}

// Returns "; did you mean --dry-run?", or "" if nothing is close.  Between options of one letter, none is closer.
std::string proposal(const std::string& given, const std::vector<std::string>& known) {
    constexpr std::size_t max_distance = 2;
    constexpr std::size_t letter_option_size = 2;
    if (given.size() <= letter_option_size) return "";
    const auto nearer = [&](const auto& a, const auto& b) { return distance(given, a) < distance(given, b); };
    const auto best = std::min_element(known.begin(), known.end(), nearer);
    const bool is_close =
        best != known.end() && distance(given, *best) <= std::min(max_distance, (given.size() + 1) / 3);
    return is_close ? "; did you mean " + *best + "?" : "";
}

std::string unknown_text(const std::string& word, const command_entry& command) {
    std::vector<std::string> known;
    for (const option_entry& option : command.options)
        known.insert(known.end(), option.names.begin(), option.names.end());
    const std::string name = word.substr(0, word.find('='));
    return word + " was not expected" + (word.front() == '-' ? proposal(name, known) : "");
}

std::string root_message(const CLI::App& root, const std::vector<std::string>& arguments) {
    const std::string given = arguments.size() < 2 ? "" : arguments[1];
    std::vector<std::string> names, begun;  // begun: commands of two words, of which `given` is the first
    for (const command_entry& command : command_entries(root)) {
        names.push_back(command.name);
        if (command.name.starts_with(given + " ")) begun.push_back("gputided " + command.name);
    }
    if (!begun.empty()) return given + " needs a subcommand: " + joined(begun, ", ");
    const std::string help = "; there are " + joined(names, ", ") + "; gputided help COMMAND explains a command";
    return (arguments.size() < 2 ? "a command is missing" : "no command " + given + proposal(given, names)) + help;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
    std::string out;
    for (const std::string& line : split(text, '\n')) {
        std::string current;
        std::size_t used = indent;
        for (const std::string& word : split(line, ' ')) {
            if (!current.empty() && used + 1 + character_count(word) > width) {
                out += std::string(indent, ' ') + current + "\n";
                current.clear();
                used = indent;
            }
            const std::string added = (current.empty() ? "" : " ") + word;
            current += added;
            used += character_count(added);
        }
        out += std::string(indent, ' ') + current + "\n";
    }
    return out;
}

bool is_colored() {
    const char* const refused = std::getenv("NO_COLOR");
    const char* const kind = std::getenv("TERM");
    return is_terminal() && (refused == nullptr || *refused == '\0') && kind != nullptr && kind != std::string("dumb");
}

std::string help_text(const CLI::App& app, std::size_t width) {
    if (app.get_parent() == nullptr) return root_text(app, width);
    const command_entry command = command_entry_of(app);
    return "Usage: gputided " + command.name + " [OPTION]...\n" + wrapped(command.about, 0, width) + "\n" +
           "Example:\n" + indented(command.footer) + options_text(command.options, width);
}

std::size_t output_width(std::size_t usual) {
    constexpr std::size_t min = 40, max = 140;
    if (!is_terminal()) return usual;
    const char* const given = std::getenv("COLUMNS");
    const std::optional<double> columns = number_in(given != nullptr ? given : "");
    winsize size{};
    if (!columns && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return usual;
    const double wanted = columns.value_or(size.ws_col);
    if (!(wanted >= 1)) return usual;  // also NaN
    return static_cast<std::size_t>(std::clamp<double>(wanted, min, max));
}

std::string usage_message(const CLI::App& root, const CLI::ParseError& wrong,
                          const std::vector<std::string>& arguments) {
    const std::vector<CLI::App*> chosen = root.get_subcommands();
    if (chosen.empty()) return root_message(root, arguments);
    const command_entry command = command_entry_of(*chosen.front());
    const std::vector<std::string> unknown = chosen.front()->remaining();  // may be the cause of a missing option
    const bool is_only_unknown = wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    std::string what = is_only_unknown ? "" : wrong.what();
    if (!unknown.empty()) what += (what.empty() ? "" : ", and ") + unknown_text(unknown.front(), command);
    return command.name + ": " + what + "; gputided " + command.name + " --help lists the options";
}

}  // namespace gputided
