// Writes reports.
#include "doctor/report.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/plain_text.hpp"
#include "doctor/steps_text.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

std::size_t failed_triggers(const report& report) {
    return static_cast<std::size_t>(std::count_if(report.triggers.begin(), report.triggers.end(), [](const auto& one) {
        return first_step(one.steps, verdict::failed) != nullptr;
    }));
}

}  // namespace

verdict worst_of(const report& report) {
    verdict worst = verdict::ok;
    const auto look = [&worst](const std::vector<step>& steps) {
        for (const step& one : steps) worst = std::max(worst, one.verdict);
    };
    for (const trigger_report& one : report.triggers) look(one.steps);
    look(report.outcome);
    return worst;
}

std::string conclusion(const report& report) {
    const std::string whose = format_text("{}/{}: ", report.name_space, report.name);
    for (const verdict what : {verdict::failed, verdict::warning}) {
        for (const trigger_report& one : report.triggers) {
            const step* found = first_step(one.steps, what);
            if (found == nullptr) continue;
            const std::size_t failed = failed_triggers(report);
            const std::string others =
                failed > 1 ? format_text("{} of {} triggers fail; ", failed, report.triggers.size()) : "";
            return whose + others + one.label + (what == verdict::failed ? " fails at step " : " works, but step ") +
                   title(found->name) + (what == verdict::failed ? ": " : " warns: ") + found->seen;
        }
        if (const step* found = first_step(report.outcome, what)) {
            return format_text("{}every trigger works, but step {} warns: {}", whose, title(found->name), found->seen);
        }
    }
    return format_text("{}all is well: {}", whose,
                       report.outcome.empty() ? "nothing to do" : report.outcome.front().seen);
}

std::string report_json(const report& report) {
    json_writer json;
    json.begin_object().member("name", report.name).member("namespace", report.name_space);
    json.member("verdict", std::string_view(verdict_name(worst_of(report)))).member("conclusion", conclusion(report));
    json.key("triggers").begin_array();
    for (const trigger_report& one : report.triggers) {
        json.begin_object().member("index", one.index).member("type", one.type).member("metric", one.metric);
        if (!one.asks.empty()) json.member("asks", one.asks);
        json.key("failed_step");
        if (const step* found = first_step(one.steps, verdict::failed)) {
            json.string(found->name);
        } else {
            json.null();
        }
        json.key("steps");
        write_steps(json, one.steps);
        json.end_object();
    }
    json.end_array().key("outcome");
    write_steps(json, report.outcome);
    return json.end_object().take();
}

std::string report_lines(const report& report) {
    std::string out = wrapped(conclusion(report), 0, 2) + "\n";
    for (const trigger_report& one : report.triggers) {
        out += format_text("\n{}{}\n", one.label, one.asks.empty() ? "" : "  " + plain_line(one.asks));
        add_steps(out, one.steps);
        add_remedies(out, one.steps);
    }
    out += "\nwhat follows\n";
    add_steps(out, report.outcome);
    add_remedies(out, report.outcome);
    return out;
}

}  // namespace gputide::doctor
