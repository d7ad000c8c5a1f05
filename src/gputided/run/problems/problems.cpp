#include "run/problems/problems.hpp"

#include "common/text.hpp"
#include "problems_json.hpp"
#include "run/pages/pages.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace gputided {

namespace {

const ordered_json& problem_rows() {
    static const ordered_json rows = ordered_json::parse(problems_json);
    return rows;
}

const ordered_json& row_of(const std::string& code) {
    return *std::ranges::find_if(problem_rows(), [&](const ordered_json& row) { return row.at("code") == code; });
}

std::string remedy_of(const problem& problem) {
    return problem.remedy.empty() ? text_at(row_of(problem.code), "do") : problem.remedy;
}

bool is_same(const problem& a, const problem& b) {
    return a.code == b.code && a.object == b.object && a.subject == b.subject;
}

const problem* find_in(const std::vector<problem>& all, const problem& wanted) {
    const auto found = std::ranges::find_if(all, [&](const problem& entry) { return is_same(entry, wanted); });
    return found == all.end() ? nullptr : &*found;
}

// Returns "s0-prometheus: text", or only the text if the problem has no subject.
std::string with_subject(const std::string& subject, const std::string& text) {
    return subject.empty() ? text : subject + ": " + text;
}

std::string label_set(const problem& problem) {
    const scaler_name name = problem.is_file ? scaler_name{"", problem.object} : split_name(problem.object);
    return label("code", problem.code) + "," + label("namespace", name.space) + "," + label("name", name.name);
}

constexpr std::size_t code_columns = 22;  // of problems_text()

// Returns "40 s", "12 min", "5 h", as the status page does.
std::string age_text(std::int64_t ms) {
    const std::int64_t seconds = std::max<std::int64_t>(0, ms) / 1'000;
    if (seconds < 120) return std::to_string(seconds) + " s";
    return seconds < 7'200 ? std::to_string(seconds / 60) + " min" : std::to_string(seconds / 3'600) + " h";
}

// Returns the log level, which is the same for start and end, so that a log contains both.
log_level level_of(const problem& problem) { return is_notice(problem) ? log_level::info : log_level::warning; }

}  // namespace

problem_list::problem_list(run_output& output) : output_(output) {
    for (const ordered_json& row : problem_rows()) begun_[text_at(row, "code")] = 0;
}

void problem_list::begin(problem& fresh, const std::vector<problem>& before) {
    const problem* known = find_in(before, fresh);
    fresh.since_ms = known != nullptr ? known->since_ms : unix_now_ms();
    if (known == nullptr) ++begun_[fresh.code];
    if (fresh.is_logged || (known != nullptr && known->text == fresh.text)) return;
    output_.gather(fresh.object,
                   with_subject(fresh.subject, fresh.text) + ": " + remedy_of(fresh) + " [" + fresh.code + "]",
                   level_of(fresh));
}

void problem_list::end(const problem& ended, const std::string& text) const {
    output_.gather(ended.object, with_subject(ended.subject, text) + " [" + ended.code + "]", level_of(ended));
}

void problem_list::set(const std::string& scope, const std::string& object, std::vector<problem> now) {
    const std::lock_guard hold(lock_);
    const auto found = scopes_.find({object, scope});
    if (found == scopes_.end() && now.empty()) return;
    const std::vector<problem> before = found == scopes_.end() ? std::vector<problem>() : std::move(found->second);
    for (problem& fresh : now) begin(fresh, before);
    for (const problem& entry : before) {
        if (!entry.is_logged && find_in(now, entry) == nullptr) end(entry, text_at(row_of(entry.code), "end"));
    }
    if (now.empty()) {
        scopes_.erase({object, scope});
    } else {
        scopes_[{object, scope}] = std::move(now);
    }
}

void problem_list::set_single(const std::string& object, const char* code, const std::string& text,
                              const std::string& remedy) {
    std::vector<problem> now;
    if (!text.empty()) now.push_back({code, object, "", text, remedy});
    set(code, object, std::move(now));
}

void problem_list::end_as_gone(const std::vector<problem>& ended) const {
    for (const problem& entry : ended) {
        if (!entry.is_logged) end(entry, "is gone");
    }
}

void problem_list::forget(const std::string& object) {
    const std::lock_guard hold(lock_);
    std::erase_if(scopes_, [&](const auto& scope) {
        if (scope.first.first != object) return false;
        end_as_gone(scope.second);
        return true;
    });
}

void problem_list::forget_in(const std::string& scope, const std::string& object) {
    const std::lock_guard hold(lock_);
    const auto found = scopes_.find({"", scope});
    if (found == scopes_.end()) return;
    std::vector<problem>& problems = found->second;
    const auto gone = std::stable_partition(problems.begin(), problems.end(),
                                            [&](const problem& entry) { return entry.object != object; });
    end_as_gone({gone, problems.end()});
    problems.erase(gone, problems.end());
}

std::vector<problem> problem_list::all() const {
    std::vector<problem> out;
    {
        const std::lock_guard hold(lock_);
        for (const auto& [key, problems] : scopes_) out.insert(out.end(), problems.begin(), problems.end());
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const problem& a, const problem& b) { return a.since_ms < b.since_ms; });
    return out;
}

std::string problem_text(const problem& problem) { return with_subject(problem.subject, problem.text); }

bool is_notice(const problem& problem) { return row_of(problem.code).at("severity") == "info"; }

ordered_json problem_json(const problem& problem) {
    ordered_json out{{"code", problem.code},
                     {"severity", row_of(problem.code).at("severity")},
                     {"object", problem.object},
                     {"subject", problem.subject}};
    if (problem.since_ms != 0) {
        out["since"] = time_text(problem.since_ms);
        out["since_ms"] = problem.since_ms;
    }
    out["text"] = problem.text;
    out["remedy"] = remedy_of(problem);
    return out;
}

std::string problems_text(const json& page) {
    const json& all = page.at("problems");
    const auto notices = std::ranges::count_if(all, [](const json& entry) { return entry.at("severity") == "info"; });
    const std::int64_t now_ms = integer_at(page, "time_ms"), problems = static_cast<std::int64_t>(all.size()) - notices;
    std::string out = (problems == 0 ? "no problem" : counted(problems, "problem")) +
                      (notices == 0 ? "" : ", " + counted(notices, "notice")) + "\n";
    for (const json& entry : all) {
        const std::string text = with_subject(entry.at("subject"), entry.at("text"));
        out += padded("  " + text_at(entry, "code"), code_columns) + format_members("{object}, for ", entry) +
               age_text(now_ms - integer_at(entry, "since_ms")) + ": " + one_line(text) + "\n" +
               padded("", code_columns) + format_members("{remedy}\n", entry);
    }
    return out;
}

std::string problem_list::json_text() const {
    ordered_json out{{"time_ms", unix_now_ms()}, {"problems", ordered_json::array()}};
    for (const problem& problem : all()) out["problems"].push_back(problem_json(problem));
    const std::lock_guard hold(lock_);
    for (ordered_json row : problem_rows()) {
        row["begun"] = begun_.at(text_at(row, "code"));
        out["codes"].push_back(std::move(row));
    }
    return dumped(out);
}

std::string problem_list::metrics() const {
    std::map<std::string, double> counts;
    for (const problem& problem : all()) ++counts[label_set(problem)];
    std::string out;
    family(out, "gputide_problem", "gauge", "Problems of an object now, by code; /problems.json explains them.",
           [&](const labelled& add) {
               for (const auto& [labels, count] : counts) add(labels, count);
           });
    const std::lock_guard hold(lock_);
    family(out, "gputide_problems_total", "counter", "Problems that began, by code.", [&](const labelled& add) {
        for (const auto& [code, count] : begun_) add(label("code", code), static_cast<double>(count));
    });
    return out;
}

namespace {

// Explains `null_as_zero` of a read and names a safer setting, for the log and the page.
constexpr char empty_as_zero_text[] =
    "empty answer read as 0 (ignoreNullValues), which scales down; gputide.io/no-data: hold keeps the size instead";
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

// Returns the code for a block reason of a cluster, such as "contested".
std::string code_of_block(const std::string& reason) {
    return reason == "refused" ? std::string(code::manifest_refused) : reason;
}

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
        const auto found =
            std::ranges::find_if(cluster_steps, [&](const auto& row) { return row.first == text_at(step, "step"); });
        if (found == std::end(cluster_steps) || step.at("verdict") == "ok") continue;
        out.push_back({found->second, text_at(report, "server"), "", seen_text(step)});
    }
    return out;
}

void notice_decision(problem_list& list, const std::string& scaler, const gputide::event& event, const json& reads,
                     const json& forecast) {
    std::vector<problem> now;
    for (const json& read : reads) {
        const std::string metric = text_at(read, "metric");
        if (read.contains("error"))
            now.push_back({code::metric_failed, scaler, metric,
                           text_at(read.at("error"), "status") + ": " + read_error(read, false), "", true});
        if (read.value("null_as_zero", false)) now.push_back({code::empty_as_zero, scaler, metric, empty_as_zero_text});
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
        now.push_back({.code = code::proxy_used,
                       .object = endpoint.value("endpoint", ""),
                       .text = "is reached through the proxy " + proxy,
                       .is_file = true});
    }
    list.set("proxies", "", std::move(now));
}

void notice_cluster(problem_list& list, const std::string& described) {
    const json seen = json::parse(described);
    std::vector<problem> now;
    for (const json& watch : seen.value("watches", json::array())) {
        const std::string resource = watch.value("resource", ""), message = watch.value("message", "");
        if (!watch.value("known", false) && !watch.value("missing", false) && !message.empty())
            now.push_back(
                {.code = code::watch_failed, .object = watch.value("path", ""), .text = message, .is_file = true});
        for (const json& object : watch.value("unreadable_objects", json::array())) {
            now.push_back(
                {code::object_unreadable, full_name_in(object), resource, object.value("message", ""), "", true});
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
