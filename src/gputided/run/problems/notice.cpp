#include "run/problems/problems.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace gputided {

namespace {

constexpr char fallback_text[] = "the fallback decides the size, because metrics failed too often";

// Outcomes of gputide.io/forecast-history after which the forecast starts without the past.
constexpr std::array<std::string_view, 4> lost_pasts{"empty", "failed", "no_past", "no_total"};

bool is_lost_past(const json& forecast) {
    if (!forecast.contains("history")) return false;
    const std::string outcome = forecast.at("history").value("outcome", "");
    return std::ranges::find(lost_pasts, outcome) != lost_pasts.end();
}

// Reports whether the result of a write means that the size was not changed.
bool is_failed_write(const std::string& result) {
    constexpr std::array<std::string_view, 6> failed{"conflict", "held", "refused", "denied", "throttled", "failed"};
    return std::ranges::find(failed, result) != failed.end();
}

// The problem for each step of a cluster's diagnosis that is not ok.
constexpr std::pair<std::string_view, const char*> cluster_steps[] = {
    {"environment", code::watch_failed}, {"endpoint", code::watch_failed}, {"token", code::watch_failed},
    {"kinds", code::watch_failed},       {"reading", code::watch_failed},  {"scaling", code::write_failed},
    {"leading", code::lease_failed},     {"lease", code::lease_failed},    {"reporting", code::status_not_written}};

std::string seen_text(const ordered_json& step) { return text_at(step, "step") + ": " + text_at(step, "seen"); }

// Adds what a trigger's diagnosis shows.
void add_found(std::vector<problem>& out, const std::string& scaler, const ordered_json& trigger) {
    const std::string metric = trigger.value("metric", "");
    for (const ordered_json& step : trigger.at("steps")) {
        if (step.value("detail", ordered_json::object()).contains("empty_as_zero")) {
            out.push_back({code::empty_as_zero, scaler, metric, seen_text(step)});
        } else if (step.at("verdict") == "failed") {
            out.push_back({code::metric_failed, scaler, metric, seen_text(step)});
        } else if (step.at("step") == "proxy") {
            out.push_back({code::proxy_used, scaler, metric, seen_text(step)});
        }
    }
}

}  // namespace

std::vector<problem> problems_of_diagnosis(const ordered_json& report) {
    std::vector<problem> out;
    if (report.contains("triggers")) {
        for (const ordered_json& trigger : report.at("triggers")) add_found(out, full_name_in(report), trigger);
        return out;
    }
    for (const ordered_json& step : report.at("steps")) {
        const auto found = std::find_if(std::begin(cluster_steps), std::end(cluster_steps),
                                        [&](const auto& row) { return row.first == text_at(step, "step"); });
        if (found == std::end(cluster_steps) || step.at("verdict") == "ok") continue;
        out.push_back({found->second, text_at(report, "server"), "", seen_text(step)});
    }
    return out;
}

void notice_decision(problem_list& list, const std::string& scaler, const gputide::event& event,
                     const std::vector<metric_read>& reads, const json& forecast) {
    std::vector<problem> now;
    for (const metric_read& read : reads) {
        if (!read.error_status.empty())
            now.push_back({code::metric_failed, scaler, read.name, read.error_status + ": " + read.error, "", true});
        if (read.is_empty_as_zero) now.push_back({code::empty_as_zero, scaler, read.name, empty_as_zero_text});
    }
    if (event.decision.c.conditions[GPUTIDE_CONDITION_FALLBACK].truth == GPUTIDE_TRUE)
        now.push_back({code::fallback, scaler, "", fallback_text});
    if (is_lost_past(forecast)) {
        const std::string outcome = forecast.at("history").value("outcome", "");
        now.push_back(
            {code::no_past, scaler, forecast.value("metric", ""), "its past is unknown: " + outcome, "", true});
    }
    list.set("decision", scaler, std::move(now));
}

void notice_process(problem_list& list, const std::string& stats, const std::string& audit_failure) {
    list.set_single("--audit-log", code::audit_not_written, audit_failure);
    const json seen = json::parse(stats);
    std::vector<problem> now;
    for (const json& endpoint : seen.value("endpoints", json::array())) {
        const std::string proxy = endpoint.value("proxy", "");
        if (proxy.empty()) continue;
        problem used{code::proxy_used, endpoint.value("endpoint", ""), "", "is reached through the proxy " + proxy};
        used.is_file = true;
        now.push_back(std::move(used));
    }
    list.set("proxies", "", std::move(now));
}

void notice_cluster(problem_list& list, const std::string& described) {
    const json seen = json::parse(described);
    std::vector<problem> now;
    for (const json& watch : seen.value("watches", json::array())) {
        const std::string resource = watch.value("resource", ""), message = watch.value("message", "");
        problem unknown{code::watch_failed, watch.value("path", ""), "", message};
        unknown.is_file = true;
        const bool is_known = watch.value("known", false) || watch.value("missing", false) || message.empty();
        if (!is_known) now.push_back(std::move(unknown));
        for (const json& object : watch.value("unreadable_objects", json::array())) {
            problem left_out{
                code::object_unreadable, full_name_in(object), resource, object.value("message", ""), "", true};
            now.push_back(std::move(left_out));
        }
    }
    list.set("watches", "", std::move(now));
    for (const json& lease : seen.value("leases", json::array()))
        list.set_single(full_name_in(lease), code::lease_failed, text_at(lease, "message"));
    const json jobs = seen.value("scaled_jobs", json::object());
    std::vector<problem> blocks;  // from the description, because events may be dropped
    for (const json* part : {&seen, &jobs}) {
        for (const json& held : part->value("held", json::array())) {
            blocks.push_back(
                {code_of_block(held.value("reason", "")), full_name_in(held), "", held.value("message", "")});
        }
    }
    list.set("blocks", "", std::move(blocks));
    std::vector<problem> capacity;
    for (const json& lacking : seen.value("no_capacity", json::array())) {
        capacity.push_back({code::no_capacity, full_name_in(lacking), "", lacking.value("message", "")});
    }
    list.set("capacity", "", std::move(capacity));
    list.set_single("statuses of ScaledObjects", code::status_not_written, seen.value("status_message", ""));
    list.set_single("statuses of ScaledJobs", code::status_not_written, jobs.value("status_message", ""));
    list.set_single("Kubernetes events", code::status_not_written, seen.value("event_message", ""));
}

void notice_cluster_event(problem_list& list, const ordered_json& event) {
    const std::string kind = event.value("event", "");
    const std::string object = event.value("namespace", "") + "/" + event.value("name", "");
    if (kind == "removed") list.forget(object);
    if (kind == "write" || kind == "jobs_created") {
        const std::string result = event.value("result", ""), message = event.value("message", "");
        const std::string text = is_failed_write(result) ? result + (message.empty() ? "" : ": " + message) : "";
        list.set_single(object, code::write_failed, text);
    }
}

}  // namespace gputided
