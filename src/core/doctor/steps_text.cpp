// Writes steps.
#include "doctor/steps_text.hpp"

#include "base/format_text.hpp"
#include "base/plain_text.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

constexpr std::size_t line_width = 110;

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

void add_paste(std::string& out, const std::string& paste, std::size_t indent) {
    if (paste.empty()) return;
    out += "\n";
    for (const std::string_view line : split(trim(paste), '\n')) {
        out.append(indent, ' ').append(plain_line(std::string(line))).append("\n");
    }
}

void add_remedy(std::string& out, const step& step) {
    if (step.cause.empty() && step.fix.empty()) return;
    out += format_text("\n  {}\n", title(step.name));
    if (!step.cause.empty()) out += format_text("    Cause  {}\n", wrapped(step.cause, 11, 11));
    if (!step.fix.empty()) out += format_text("    Fix    {}\n", wrapped(step.fix, 11, 11));
    add_paste(out, step.paste, 13);
}

void write_step(json_writer& json, const step& step) {
    json.begin_object().member("step", step.name).member("verdict", std::string_view(verdict_name(step.verdict)));
    json.member("seen", step.seen);
    if (!step.cause.empty()) json.member("cause", step.cause);
    if (!step.fix.empty()) json.member("fix", step.fix);
    if (!step.paste.empty()) json.member("paste", step.paste);
    if (!step.detail.empty()) {
        json.key("detail").begin_object();
        for (const auto& [name, value] : step.detail) json.member(name, value);
        json.end_object();
    }
    json.end_object();
}

}  // namespace

std::string title(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

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

const step* first_step(const std::vector<step>& steps, verdict verdict) {
    const auto found =
        std::find_if(steps.begin(), steps.end(), [verdict](const step& one) { return one.verdict == verdict; });
    return found == steps.end() ? nullptr : &*found;
}

void write_steps(json_writer& json, const std::vector<step>& steps) {
    json.begin_array();
    for (const step& one : steps) write_step(json, one);
    json.end_array();
}

}  // namespace gputide::doctor
