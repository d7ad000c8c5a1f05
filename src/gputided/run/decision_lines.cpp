#include "run/decision_lines.hpp"

#include <nlohmann/json.hpp>

namespace gputided {
namespace {

using nlohmann::ordered_json;

// What two decisions have to share for the second one to be no news.
std::string news_of(const gputide::decision& decision, std::int32_t wanted) {
    std::string out = std::to_string(wanted) + " " + std::to_string(decision.c.limited_by);
    for (const gputide_condition& one : decision.c.conditions) out += " " + std::to_string(one.truth);
    return out;
}

ordered_json metric_of(const ordered_json& step) {
    ordered_json out{{"metric", step.value("metric", "")}};
    if (step.contains("value")) out["value"] = step.at("value");
    if (const std::string state = step.value("state", "ok"); state != "ok") out["state"] = state;
    return out;
}

// {...} → {...,"log":"changes"}
std::string marked(std::string report, const char* log) {
    report.pop_back();
    return report + ",\"log\":\"" + log + "\"}";
}

}  // namespace

std::string compact_line(const std::string& report) {
    const ordered_json whole = ordered_json::parse(report);
    ordered_json out = ordered_json::object();
    for (const char* member : {"time", "namespace", "name", "current_replicas", "desired_replicas", "proposed_replicas",
                               "limited_by", "source", "event", "error"}) {
        if (whole.contains(member)) out[member] = whole.at(member);
    }
    for (const ordered_json& step : whole.value("trace", ordered_json::array())) {
        if (step.value("step", "") == "metric") out["metrics"].push_back(metric_of(step));
    }
    out["log"] = "compact";
    return out.dump();
}

std::optional<std::string> decision_lines::line_of(const std::string& scaler, const gputide::event& event) {
    if (scope_ == log_scope::changes) {
        const bool is_due = event.decision.c.limited_by != GPUTIDE_LIMIT_NOT_DUE;
        const bool wants = event.decision.wants_write();
        line& last = last_[scaler];
        // What one half wants and nobody writes it wants still while only the other one is due.
        const bool stays = !acts_ && !wants && last.half != 0 && (event.decision.c.flags & last.half) == 0;
        const std::int32_t wanted = stays ? last.wanted : event.decision.desired();
        const std::string news = news_of(event.decision, wanted);
        if (!(acts_ && wants) && (!is_due || news == last.news)) return std::nullopt;
        const std::uint32_t half =
            event.decision.c.source == GPUTIDE_FROM_EXECUTOR ? GPUTIDE_DECIDED_EXECUTOR : GPUTIDE_DECIDED_HPA;
        last = {news, wanted, wants ? half : stays ? last.half : 0};
    }
    if (form_ == log_form::compact) return compact_line(event.report);
    return scope_ == log_scope::changes ? marked(event.report, "changes") : event.report;
}

}  // namespace gputided
