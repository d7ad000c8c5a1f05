// A report as text, JSON or one error.
#include "config/report.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/plain_text.hpp"
#include "base/redact.hpp"

#include <algorithm>
#include <utility>

namespace gputide::config {

std::string_view severity_name(severity level) {
    switch (level) {
        case severity::note:
            return "note";
        case severity::warning:
            return "warning";
        case severity::error:
            return "error";
    }
    return "";
}

std::string without_values(std::string_view text, const std::vector<secret_text>& values) {
    std::vector<std::string_view> hidden;
    hidden.reserve(values.size());
    for (const secret_text& one : values) hidden.push_back(one.reveal());
    return redact(text, hidden);
}

void report::add(severity level, std::string code, place at, std::string message, std::string remedy,
                 error_class kind) {
    if (full(level)) return;
    if (!values.empty()) message = without_values(message, values);
    message = plain_line(std::move(message));
    const bool known = std::any_of(findings.begin(), findings.end(), [&](const finding& one) {
        return one.at.line == at.line && one.message == message && one.at.path == at.path && one.at.file == at.file;
    });
    if (known) return;  // two triggers that share an authentication find the same gap
    findings.push_back({level, std::move(code), std::move(at), std::move(message), std::move(remedy), kind});
}

bool report::full(severity level) const {
    return findings.size() >= (level == severity::error ? 2 * max_findings : max_findings);
}

std::size_t report::count(severity level) const {
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(), [level](const finding& one) { return one.severity == level; }));
}

error report::as_error() const {
    error out;
    out.status = status::ok;
    for (const finding& one : findings) {
        if (one.severity != severity::error) continue;
        if (out.status == status::ok) {
            out = fail_at(one.kind, one.at, one.message);
        } else {
            out.message += format_text("; {}: {}", one.at.text(), one.message);
        }
        if (!one.remedy.empty()) out.message += ": " + one.remedy;
    }
    return out;
}

std::string render(const finding& one) {
    std::string out = one.at.file.empty() ? "<text>" : one.at.file;
    if (one.at.line > 0) out += ':' + std::to_string(one.at.line);
    if (one.at.column > 0) out += ':' + std::to_string(one.at.column);
    out += ": ";
    out += severity_name(one.severity);
    out += ": " + one.message;
    if (!one.at.path.empty()) out += format_text(" ({})", one.at.path);
    if (!one.remedy.empty()) out += ": " + one.remedy;
    return out;
}

std::string render(const report& all) {
    std::string out;
    for (const severity level : {severity::error, severity::warning, severity::note}) {
        for (const finding& one : all.findings) {
            if (one.severity == level) out += render(one) + '\n';
        }
    }
    return out;
}

void write_json(json_writer& out, const report& all) {
    out.begin_object();
    out.member("errors", all.count(severity::error));
    out.member("warnings", all.count(severity::warning));
    out.key("findings").begin_array();
    for (const finding& one : all.findings) {
        out.begin_object();
        out.member("severity", severity_name(one.severity));
        out.member("code", one.code);
        out.member("file", one.at.file);
        out.member("line", one.at.line);
        out.member("column", one.at.column);
        out.member("path", one.at.path);
        out.member("message", one.message);
        out.member("remedy", one.remedy);
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

}  // namespace gputide::config
