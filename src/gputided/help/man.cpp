// Man pages.
#include "common/text.hpp"
#include "gputide/gputide.h"
#include "help/help.hpp"

#include <algorithm>
#include <cctype>

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
    "others in "
    "upper case too\n"
    ".TP\n.B SSL_CERT_FILE, SSL_CERT_DIR\nroot certificates instead of the system's, if \\-\\-ca\\-file is not given\n"
    ".TP\n.B USER_ASSIGNED_CLIENT_ID, PROMETHEUS_QUERY_ENDPOINT, KUBECONFIG\nmay be read by manifests as ${NAME}; "
    "others "
    "only with \\-\\-allow\\-env\n"
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

}  // namespace gputided
