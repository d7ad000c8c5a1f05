// Writes reports.
#include "doctor/report.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/plain_text.hpp"
#include "doctor/steps_text.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

std::size_t failed_triggers(const report& of) {
    return static_cast<std::size_t>(std::count_if(of.triggers.begin(), of.triggers.end(), [](const auto& one) {
        return first_step(one.steps, verdict::failed) != nullptr;
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
            const step* found = first_step(one.steps, what);
            if (found == nullptr) continue;
            const std::size_t failed = failed_triggers(of);
            const std::string others =
                failed > 1 ? format_text("{} of {} triggers fail; ", failed, of.triggers.size()) : "";
            return whose + others + one.label + (what == verdict::failed ? " fails at step " : " works, but step ") +
                   title(found->name) + (what == verdict::failed ? ": " : " warns: ") + found->seen;
        }
        if (const step* found = first_step(of.outcome, what)) {
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
