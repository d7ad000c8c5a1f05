// Writes reports.
#include "doctor/report.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/plain_text.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

constexpr std::size_t line_width = 110;

std::string title(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

const char* mark_of(verdict what) {
    switch (what) {
        case verdict::ok:
            return "ok      ";
        case verdict::warning:
            return "warning ";
        case verdict::failed:
            return "FAILED  ";
    }
    return "        ";
}

// Words on lines of line_width at the most; every line but the first is indented.
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent) {
    std::string out;
    const std::string shown = plain_line(std::string(text));
    for (const std::string_view word : split(shown, ' ')) {
        if (!out.empty() && column + 1 + word.size() > line_width) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!out.empty()) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out;
}

void add_paste(std::string& out, const std::string& paste, std::size_t indent) {
    if (paste.empty()) return;
    out += "\n";
    for (const std::string_view line : split(trim(paste), '\n')) {
        out.append(indent, ' ').append(plain_line(std::string(line))).append("\n");
    }
}

void add_remedy(std::string& out, const step& of) {
    if (of.cause.empty() && of.fix.empty()) return;
    out += format_text("\n  {}\n", title(of.name));
    if (!of.cause.empty()) out += format_text("    Cause  {}\n", wrapped(of.cause, 11, 11));
    if (!of.fix.empty()) out += format_text("    Fix    {}\n", wrapped(of.fix, 11, 11));
    add_paste(out, of.paste, 13);
}

void add_steps(std::string& out, const std::vector<step>& steps) {
    constexpr std::size_t name_width = 13;
    for (const step& one : steps) {
        std::string name = title(one.name);
        name.append(name_width - std::min(name_width, name.size()), ' ');
        const std::size_t column = 2 + 8 + name.size();
        out += format_text("  {}{}{}\n", mark_of(one.verdict), name, wrapped(one.seen, column, column));
    }
}

void add_remedies(std::string& out, const std::vector<step>& steps) {
    for (const step& one : steps) {
        if (one.verdict != verdict::ok) add_remedy(out, one);
    }
}

const step* first(const std::vector<step>& steps, verdict what) {
    const auto found =
        std::find_if(steps.begin(), steps.end(), [what](const step& one) { return one.verdict == what; });
    return found == steps.end() ? nullptr : &*found;
}

void write_step(json_writer& json, const step& of) {
    json.begin_object().member("step", of.name).member("verdict", std::string_view(verdict_name(of.verdict)));
    json.member("seen", of.seen);
    if (!of.cause.empty()) json.member("cause", of.cause);
    if (!of.fix.empty()) json.member("fix", of.fix);
    if (!of.paste.empty()) json.member("paste", of.paste);
    if (!of.detail.empty()) {
        json.key("detail").begin_object();
        for (const auto& [name, value] : of.detail) json.member(name, value);
        json.end_object();
    }
    json.end_object();
}

void write_steps(json_writer& json, const std::vector<step>& steps) {
    json.begin_array();
    for (const step& one : steps) write_step(json, one);
    json.end_array();
}

std::size_t failed_triggers(const report& of) {
    return static_cast<std::size_t>(std::count_if(of.triggers.begin(), of.triggers.end(), [](const auto& one) {
        return first(one.steps, verdict::failed) != nullptr;
    }));
}

}  // namespace

verdict worst_of(const report& of) {
    verdict worst = verdict::ok;
    const auto look = [&worst](const std::vector<step>& steps) {
        for (const step& one : steps) worst = std::max(worst, one.verdict);
    };
    for (const trigger_report& one : of.triggers) look(one.steps);
    look(of.outcome);
    return worst;
}

std::string conclusion(const report& of) {
    const std::string whose = format_text("{}/{}: ", of.name_space, of.name);
    for (const verdict what : {verdict::failed, verdict::warning}) {
        for (const trigger_report& one : of.triggers) {
            const step* found = first(one.steps, what);
            if (found == nullptr) continue;
            const std::size_t failed = failed_triggers(of);
            const std::string others =
                failed > 1 ? format_text("{} of {} triggers fail; ", failed, of.triggers.size()) : "";
            return whose + others + one.label + (what == verdict::failed ? " fails at step " : " works, but step ") +
                   title(found->name) + (what == verdict::failed ? ": " : " warns: ") + found->seen;
        }
        if (const step* found = first(of.outcome, what)) {
            return format_text("{}every trigger works, but step {} warns: {}", whose, title(found->name), found->seen);
        }
    }
    return format_text("{}all is well: {}", whose, of.outcome.empty() ? "nothing to do" : of.outcome.front().seen);
}

std::string report_json(const report& of) {
    json_writer json;
    json.begin_object().member("name", of.name).member("namespace", of.name_space);
    json.member("verdict", std::string_view(verdict_name(worst_of(of)))).member("conclusion", conclusion(of));
    json.key("triggers").begin_array();
    for (const trigger_report& one : of.triggers) {
        json.begin_object().member("index", one.index).member("type", one.type).member("metric", one.metric);
        if (!one.asks.empty()) json.member("asks", one.asks);
        json.key("failed_step");
        if (const step* found = first(one.steps, verdict::failed)) {
            json.string(found->name);
        } else {
            json.null();
        }
        json.key("steps");
        write_steps(json, one.steps);
        json.end_object();
    }
    json.end_array().key("outcome");
    write_steps(json, of.outcome);
    return json.end_object().take();
}

std::string report_lines(const report& of) {
    std::string out = wrapped(conclusion(of), 0, 2) + "\n";
    for (const trigger_report& one : of.triggers) {
        out += format_text("\n{}{}\n", one.label, one.asks.empty() ? "" : "  " + plain_line(one.asks));
        add_steps(out, one.steps);
        add_remedies(out, one.steps);
    }
    out += "\nwhat follows\n";
    add_steps(out, of.outcome);
    add_remedies(out, of.outcome);
    return out;
}

}  // namespace gputide::doctor
