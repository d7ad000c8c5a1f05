// Functions that create steps, and short texts that several steps use.
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "doctor/doctor.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace gputide::doctor {

namespace {

constexpr std::size_t longest_shown = 100;  // bytes per entry in a list: a label's value may have a mebibyte

}  // namespace

const char* verdict_name(verdict what) noexcept {
    static constexpr std::array<const char*, 3> names{"ok", "warning", "failed"};
    return names[static_cast<std::size_t>(what)];
}

void step::add_detail(std::string_view key, text_value value) { detail.emplace_back(key, value.text()); }

step passed(std::string_view name, std::string_view seen) {
    step out;
    out.name = name;
    out.seen = seen;
    return out;
}

step doubtful(std::string_view name, std::string_view seen, std::string_view cause, std::string_view fix) {
    step out = passed(name, seen);
    out.verdict = verdict::warning;
    out.cause = cause;
    out.fix = fix;
    return out;
}

step broken(std::string_view name, std::string_view seen, std::string_view cause, std::string_view fix) {
    step out = doubtful(name, seen, cause, fix);
    out.verdict = verdict::failed;
    return out;
}

std::string counted(std::size_t number, std::string_view singular, std::string_view many) {
    return format_text("{} {}", number, number == 1 ? singular : many);
}

std::string listed(const std::vector<std::string>& all, std::size_t max_count) {
    std::string out;
    for (std::size_t i = 0; i < all.size() && i < max_count; ++i) {
        const std::string_view shown = cut_utf8(all[i], longest_shown);
        out.append(i == 0 ? "" : ", ").append(shown).append(shown.size() < all[i].size() ? "…" : "");
    }
    if (all.size() > max_count) out += format_text(" and {} more", all.size() - max_count);
    return out;
}

std::string shell_word(const std::string& text) {
    const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view(":/._@-").find(c) != std::string_view::npos;
    });
    if (plain) return text;
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') out += "'\\''";
        if (c != '\'') out += c;
    }
    return out + "'";
}

std::string about_duration(std::int64_t ms) {
    constexpr std::int64_t minute = 60;
    constexpr std::int64_t hour = 60 * minute;
    constexpr std::int64_t day = 24 * hour;
    const std::int64_t seconds = (ms < 0 ? -ms : ms) / 1'000;
    if (seconds < 2 * minute) return format_text("{} s", seconds);
    if (seconds < 2 * hour) return format_text("{} min", seconds / minute);
    if (seconds < 2 * day) return format_text("{} h", seconds / hour);
    return format_text("{} days", seconds / day);
}

// Writes reports.

namespace {

std::size_t failed_triggers(const report& report) {
    return static_cast<std::size_t>(std::ranges::count_if(
        report.triggers, [](const auto& trigger) { return first_step(trigger.steps, verdict::failed) != nullptr; }));
}

}  // namespace

verdict worst_of(const std::vector<step>& steps) {
    verdict worst = verdict::ok;
    for (const step& step : steps) worst = std::max(worst, step.verdict);
    return worst;
}

verdict worst_of(const report& report) {
    verdict worst = worst_of(report.outcome);
    for (const trigger_report& trigger : report.triggers) worst = std::max(worst, worst_of(trigger.steps));
    return worst;
}

std::string conclusion(const report& report) {
    const std::string prefix = format_text("{}/{}: ", report.name_space, report.name);
    for (const verdict what : {verdict::failed, verdict::warning}) {
        for (const trigger_report& trigger : report.triggers) {
            const step* found = first_step(trigger.steps, what);
            if (found == nullptr) continue;
            const std::size_t failed = failed_triggers(report);
            const std::string others =
                failed > 1 ? format_text("{} of {} triggers fail; ", failed, report.triggers.size()) : "";
            return format_text("{}{}{} {} step {}{}: {}", prefix, others, trigger.label,
                               what == verdict::failed ? "fails at" : "works, but", title(found->name),
                               what == verdict::failed ? "" : " warns", found->seen);
        }
        if (const step* found = first_step(report.outcome, what)) {
            return format_text("{}every trigger works, but step {} {}: {}", prefix, title(found->name),
                               what == verdict::failed ? "fails" : "warns", found->seen);
        }
    }
    return format_text("{}no problem found: {}", prefix,
                       report.outcome.empty() ? "nothing to do" : report.outcome.front().seen);
}

std::string report_json(const report& report) {
    json_writer json;
    json.begin_object().member("name", report.name).member("namespace", report.name_space);
    json.member("verdict", std::string_view(verdict_name(worst_of(report)))).member("conclusion", conclusion(report));
    json.key("triggers").begin_array();
    for (const trigger_report& trigger : report.triggers) {
        json.begin_object()
            .member("index", trigger.index)
            .member("type", trigger.type)
            .member("metric", trigger.metric);
        if (!trigger.asks.empty()) json.member("asks", trigger.asks);
        json.key("failed_step");
        if (const step* found = first_step(trigger.steps, verdict::failed)) {
            json.string(found->name);
        } else {
            json.null();
        }
        json.key("steps");
        write_steps(json, trigger.steps);
        json.end_object();
    }
    json.end_array().key("outcome");
    write_steps(json, report.outcome);
    return json.end_object().take();
}

std::string report_lines(const report& report) {
    std::string out = wrapped(conclusion(report), 0, 2) + "\n";
    for (const trigger_report& trigger : report.triggers) {
        out += format_text("\n{}{}\n", trigger.label, trigger.asks.empty() ? "" : "  " + plain_line(trigger.asks));
        add_steps(out, trigger.steps);
        add_remedies(out, trigger.steps);
    }
    out += "\nwhat follows\n";
    add_steps(out, report.outcome);
    add_remedies(out, report.outcome);
    return out;
}

// Writes steps.

namespace {

constexpr std::size_t line_width = 110;

const char* mark_of(verdict what) {
    static constexpr std::array<const char*, 3> marks{"ok      ", "warning ", "FAILED  "};
    return marks[static_cast<std::size_t>(what)];
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

std::string title(std::string_view name) {
    std::string out(name);
    std::replace(out.begin(), out.end(), '_', ' ');
    return out;
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
    for (const step& step : steps) {
        std::string name = title(step.name);
        name.append(name_width - std::min(name_width, name.size()), ' ');
        const std::size_t column = 2 + 8 + name.size();
        out += format_text("  {}{}{}\n", mark_of(step.verdict), name, wrapped(step.seen, column, column));
    }
}

void add_remedies(std::string& out, const std::vector<step>& steps) {
    for (const step& step : steps) {
        if (step.verdict != verdict::ok) add_remedy(out, step);
    }
}

const step* first_step(const std::vector<step>& steps, verdict verdict) {
    const auto found = std::ranges::find_if(steps, [verdict](const step& step) { return step.verdict == verdict; });
    return found == steps.end() ? nullptr : &*found;
}

void write_steps(json_writer& json, const std::vector<step>& steps) {
    json.begin_array();
    for (const step& step : steps) write_step(json, step);
    json.end_array();
}

}  // namespace gputide::doctor
