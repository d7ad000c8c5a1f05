#include "common/text.hpp"
#include "common/times.hpp"
#include "run/pages/pages.hpp"

#include <cmath>
#include <map>

namespace gputided {

namespace {

ordered_json metric_json(const metric_rule& rule, const metric_read* read, bool has_login) {
    ordered_json out{{"name", rule.name},
                     {"type", rule.type},
                     {"target", or_null(rule.target)},
                     {"activation", or_null(rule.activation)}};
    if (read == nullptr) return out;
    out["value"] = or_null(read->value);
    out["age_ms"] = or_null(read->age_ms);
    out["latency_ms"] = read->latency_ms;
    if (read->is_empty_as_zero) out["empty_as_zero"] = true;
    if (read->error_status.empty()) return out;
    out["error_status"] = read->error_status;
    out["error"] = has_login ? whole_error(*read) : read->error;
    return out;
}

ordered_json metrics_json(const scaler_numbers& scaler, bool has_login) {
    ordered_json out = ordered_json::array();
    for (std::size_t i = 0; i < scaler.rules.size(); ++i) {
        out.push_back(metric_json(scaler.rules[i], i < scaler.reads.size() ? &scaler.reads[i] : nullptr, has_login));
    }
    return out;
}

using problems_by_object = std::multimap<std::string, problem>;

// Adds the members `problems` and `notes`: the texts about a scaler and its file, oldest first.
void add_problems(ordered_json& out, const std::string& full_name, const std::string& file,
                  const problems_by_object& problems) {
    out["problems"] = out["notes"] = ordered_json::array();
    for (const std::string& object : {file, full_name}) {
        const auto [from, to] = problems.equal_range(object);
        for (auto at = from; at != to; ++at) {
            const problem& problem = at->second;
            out[is_notice(problem) ? "notes" : "problems"].push_back(problem_text(problem));
        }
    }
}

// Returns the formula with its last value.
ordered_json formula_json(const scaler_numbers& scaler) {
    ordered_json out{{"formula", scaler.formula.value("formula", "")},
                     {"type", scaler.formula.value("metricType", "")}};
    for (const char* member : {"target", "activationTarget"}) {
        if (scaler.formula.contains(member)) out[member] = scaler.formula.at(member);
    }
    if (!scaler.formula_step.is_object()) return out;
    if (scaler.formula_step.contains("value")) out["value"] = scaler.formula_step.at("value");
    if (scaler.formula_step.contains("proposed_replicas"))
        out["proposed"] = scaler.formula_step.at("proposed_replicas");
    return out;
}

ordered_json changes_json(const numbers& all) {
    ordered_json out = ordered_json::array();
    for (auto at = all.changes.rbegin(); at != all.changes.rend(); ++at) {
        out.push_back({{"time_ms", at->time_ms},
                       {"scaler", at->scaler},
                       {"from", at->before},
                       {"to", at->after},
                       {"why", at->why},
                       {"written", or_null(at->written)}});
    }
    return out;
}

ordered_json scaler_json(const std::string& full_name, const scaler_numbers& scaler, const problems_by_object& problems,
                         bool has_login) {
    const scaler_name name = split_name(full_name);
    const gputide_decision& last = scaler.last;
    ordered_json out{{"namespace", name.space}, {"name", name.name}};
    out["file"] = scaler.file;
    out["kind"] = scaler.kind;
    out["min"] = scaler.min;
    out["max"] = scaler.max;
    out["decisions"] = scaler.decisions;
    add_problems(out, full_name, scaler.file, problems);
    out["metrics"] = metrics_json(scaler, has_login);
    if (scaler.formula.is_object()) out["formula"] = formula_json(scaler);
    out["gpus_per_replica"] = scaler.gpus_per_replica;
    out["cost_per_gpu_hour"] = or_null(scaler.cost_per_gpu_hour);
    if (scaler.decisions == 0) return out;
    out["time_ms"] = last.now_ms;
    out["read_ms"] = scaler.read_ms;
    out["next_due_ms"] = last.next_due_ms;
    out["current"] = last.current_replicas;
    out["desired"] = last.desired_replicas;
    out["proposed"] = last.proposed_replicas;
    if (scaler.ready >= 0) out["ready"] = scaler.ready;
    out["active"] = (last.flags & GPUTIDE_DECIDED_ACTIVE) != 0;
    out["limited_by"] = gputide_limit_name(last.limited_by);
    out["why"] = scaler.why;
    out["changed_ms"] = scaler.changed_ms;
    if (!scaler.forecast.is_null()) out["forecast"] = scaler.forecast;
    if (!scaler.rise.is_null()) out["rise"] = scaler.rise;
    return out;
}

}  // namespace

std::string status_json(const numbers& all, const problem_list& list, const std::string& runtime,
                        const std::string& mode, bool has_login) {
    const ordered_json stats = ordered_json::parse(runtime);
    ordered_json out{{"version", gputide_version()}, {"time_ms", unix_now_ms()}, {"mode", mode}};
    out["poll_lag_ms"] = stats.at("poll_lag_ms");
    out["lateness"] = stats.at("lateness");
    out["in_flight"] = stats.at("polls_in_flight");
    out["broken"] = out["problems"] = ordered_json::array();
    for (const auto& [file, reason] : all.broken) out["broken"].push_back({{"file", file}, {"why", reason}});
    problems_by_object problems;
    for (const problem& problem : list.all()) {
        out["problems"].push_back(problem_json(problem));
        problems.emplace(problem.object, problem);
    }
    out["changes"] = changes_json(all);
    out["scalers"] = ordered_json::array();
    for (const auto& [name, scaler] : all.scalers)
        out["scalers"].push_back(scaler_json(name, scaler, problems, has_login));
    out["scaled_jobs"] = all.scaled_jobs;
    return dumped(out);
}

std::string history_json(const numbers& all, const std::string& scaler) {
    const auto found = all.scalers.find(scaler);
    if (found == all.scalers.end()) return "";
    const scaler_numbers& numbers = found->second;
    ordered_json points = ordered_json::array();
    auto value = numbers.values.begin();
    for (const point& at : numbers.points) {
        ordered_json values = ordered_json::array();
        for (std::size_t i = 0; i < numbers.kept(); ++i, ++value) {
            values.push_back(std::isfinite(*value) ? ordered_json(*value) : ordered_json(nullptr));
        }
        points.push_back({at.time_ms, at.current, at.desired, std::move(values)});
    }
    ordered_json queries = ordered_json::array();
    for (const metric_read& read : numbers.reads) queries.push_back(read.asks);
    return dumped(ordered_json{{"points", std::move(points)}, {"queries", std::move(queries)}});
}

}  // namespace gputided
