// A report as text, JSON or one error.
#include "text/report.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace gputide::text {

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
    for (const secret_text& value : values) hidden.push_back(value.reveal());
    return redact(text, hidden);
}

finding* report::add(severity level, std::string_view code, place place, std::string_view text, std::string_view remedy,
                     error_class kind) {
    if (full(level)) return nullptr;
    std::string message = plain_line(values.empty() ? std::string(text) : without_values(text, values));
    const bool known = std::ranges::any_of(findings, [&](const finding& entry) {
        return entry.at.line == place.line && entry.message == message && entry.at.path == place.path &&
               entry.at.file == place.file;
    });
    if (known) return nullptr;  // two triggers that share an authentication report the same gap
    findings.push_back({level, std::string(code), std::move(place), std::move(message), std::string(remedy), kind});
    return &findings.back();
}

bool report::full(severity level) const {
    return findings.size() >= (level == severity::error ? 2 * max_findings : max_findings);
}

std::size_t report::count(severity level) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(findings, [level](const finding& entry) { return entry.severity == level; }));
}

error report::as_error() const {
    error out;
    out.status = status::ok;
    for (const finding& entry : findings) {
        if (entry.severity != severity::error) continue;
        if (out.status == status::ok) {
            out = fail_at(entry.kind, entry.at, entry.message);
            out.fields = {{"code", entry.code}, {"message", entry.message}, {"remedy", entry.remedy}};
        } else {
            out.message += format_text("; {}: {}", entry.at.text(), entry.message);
        }
        if (!entry.remedy.empty()) out.message += ": " + entry.remedy;
    }
    return out;
}

namespace {

constexpr std::size_t max_other_places = 3;  // of equal findings, in addition to the first

std::string position(const place& place) {
    std::string out = place.file.empty() ? "<text>" : place.file;
    if (place.line > 0) out += ':' + std::to_string(place.line);
    if (place.column > 0) out += ':' + std::to_string(place.column);
    return out;
}

bool are_alike(const finding& a, const finding& b) {
    return a.severity == b.severity && a.code == b.code && a.message == b.message && a.remedy == b.remedy;
}

std::string other_places(const std::vector<const finding*>& alike) {
    if (alike.size() < 2) return "";
    std::string out = format_text(" [and {} more:", alike.size() - 1);
    for (std::size_t i = 1; i < alike.size() && i <= max_other_places; ++i) {
        out += (i == 1 ? " " : ", ") + position(alike[i]->at);
    }
    return out + (alike.size() > max_other_places + 1 ? ", ...]" : "]");
}

// Keeps files in the order of their first finding.
void sort_by_line(std::vector<std::vector<const finding*>>& groups) {
    std::map<std::string_view, std::size_t> files;
    for (const auto& group : groups) files.emplace(group.front()->at.file, files.size());
    const auto position_of = [&](const auto& group) {
        const place& at = group.front()->at;
        return std::tuple(files.at(at.file), at.line, at.column);
    };
    sort_stably(groups, [&](const auto& a, const auto& b) { return position_of(a) < position_of(b); });
}

// Returns the findings of one severity, equal ones grouped, sorted by file and line.
std::vector<std::vector<const finding*>> grouped(const report& all, severity level) {
    std::vector<std::vector<const finding*>> out;
    for (const finding& entry : all.findings) {
        if (entry.severity != level) continue;
        const auto at = std::ranges::find_if(out, [&](const auto& group) { return are_alike(*group.front(), entry); });
        if (at == out.end()) {
            out.push_back({&entry});
        } else {
            at->push_back(&entry);
        }
    }
    sort_by_line(out);
    return out;
}

}  // namespace

std::string render(const finding& entry) {
    std::string out = position(entry.at);
    out += ": ";
    out += severity_name(entry.severity);
    out += ": " + entry.message;
    if (!entry.at.path.empty()) out += format_text(" ({})", entry.at.path);
    if (!entry.remedy.empty()) out += ": " + entry.remedy;
    return out;
}

std::string render(const report& all) {
    std::string out;
    for (const severity level : {severity::error, severity::warning, severity::note}) {
        for (const auto& alike : grouped(all, level)) out += render(*alike.front()) + other_places(alike) + '\n';
    }
    return out;
}

void write_json(json_writer& out, const report& all) {
    out.begin_object();
    out.member("errors", all.count(severity::error));
    out.member("warnings", all.count(severity::warning));
    out.key("findings").begin_array();
    for (const finding& entry : all.findings) {
        out.begin_object();
        out.member("severity", severity_name(entry.severity));
        out.member("code", entry.code);
        out.member("file", entry.at.file);
        out.member("line", entry.at.line);
        out.member("column", entry.at.column);
        out.member("path", entry.at.path);
        out.member("message", entry.message);
        out.member("remedy", entry.remedy);
        if (entry.conflict) {
            out.key("conflict").begin_object().member("object", entry.conflict->object);
            out.member("other_object", entry.conflict->other_object).member("other_file", entry.conflict->other_file);
            out.end_object();
        }
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

}  // namespace gputide::text
