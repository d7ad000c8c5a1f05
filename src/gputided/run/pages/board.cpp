// The data of the pages (board.hpp), and /status.json and /history.json (declared in pages.hpp).
#include "run/pages/board.hpp"

#include "common/text.hpp"
#include "run/pages/pages.hpp"

namespace gputided {

namespace {

// Returns -1 if the member is missing.
std::int32_t count_in(std::string_view described, std::string_view member) {
    const auto value = json::parse(json_member(described, member), nullptr, false);
    return value.is_number_integer() ? value.get<std::int32_t>() : -1;
}

void add_point(scaler_numbers& numbers) {
    numbers.points.push_back({numbers.last.now_ms, numbers.last.current_replicas, numbers.last.desired_replicas});
    for (std::size_t i = 0; i < numbers.kept(); ++i) {
        const auto value = i < numbers.reads.size() ? optional_number(numbers.reads[i], "value") : std::nullopt;
        numbers.values.push_back(static_cast<float>(value.value_or(NAN)));
    }
    if (numbers.points.size() <= scaler_numbers::max_points) return;
    numbers.points.pop_front();
    numbers.values.erase(numbers.values.begin(), numbers.values.begin() + static_cast<std::ptrdiff_t>(numbers.kept()));
}

// Returns "gpu_busy is 87, asks for 6" for the metric that determined the size.
std::string drive_of(const std::vector<std::string_view>& trace) {
    std::string_view winner;
    for (const std::string_view step : trace) {
        if (const std::string_view named = json_member(step, "winner"); !named.empty()) winner = named;
    }
    for (const std::string_view step : trace) {
        const std::string_view value = json_member(step, "value");
        if (winner.empty() || value.empty() || json_member(step, "metric") != winner) continue;
        const std::string_view proposed = json_member(step, "proposed_replicas");
        return json_text(winner) + " is " + std::string(value) +
               (proposed.empty() ? "" : ", asks for " + std::string(proposed));
    }
    return "";
}

// Takes the last step's sentence, and the steps of the forecast and the formula.
void take_trace(scaler_numbers& numbers, std::string_view report) {
    const std::vector<std::string_view> trace = json_elements(json_member(report, "trace"));
    numbers.why = last_sentence(trace);
    if (std::string drive = drive_of(trace); !drive.empty()) numbers.drive = std::move(drive);
    for (const std::string_view step : trace) {
        const std::string_view kind = json_member(step, "step");
        if (kind == "\"forecast\"") numbers.forecast = json::parse(step);
        if (kind == "\"formula\"") numbers.formula_step = json::parse(step);
    }
}

void add_decision(scaler_numbers& numbers, const gputide::event& event, const json& reads, double took_s) {
    const bool is_due = event.decision.c.limited_by != GPUTIDE_LIMIT_NOT_DUE;
    const std::int32_t limited_by = numbers.last.limited_by;
    numbers.last = event.decision.c;
    numbers.tick_seconds += took_s;
    ++numbers.limited[event.decision.limited_by()];
    if (++numbers.decisions > 1 && !is_due) {
        numbers.last.limited_by = limited_by;  // nothing was read, so the limit stays
        return;
    }
    take_trace(numbers, event.report);
    // The report has this count only if it differs from the current one.
    const std::string_view ready = json_member(event.report, "ready_replicas");
    if (!ready.empty()) numbers.ready = json::parse(ready).get<std::int32_t>();
    if (!is_due) return;
    numbers.reads = reads;
    numbers.read_ms = unix_now_ms();
    for (const json& read : reads) {
        if (read.contains("error")) ++numbers.errors[text_at(read.at("error"), "status")];
    }
    add_point(numbers);
}

// Takes the values of the manifest if it has changed.
void add_policy(scaler_numbers& numbers, std::string_view described) {
    const std::string_view text = json_member(described, "policy");
    const std::size_t fingerprint = std::hash<std::string_view>()(text);
    if (std::exchange(numbers.policy_fingerprint, fingerprint) == fingerprint) return;
    const std::size_t kept = numbers.kept();
    numbers.policy = policy_of(json::parse(text));
    numbers.forecast = numbers.formula_step = json();  // of the previous manifest
    if (numbers.kept() == kept) return;
    numbers.points.clear();  // belong to other metrics
    numbers.values.clear();
}

void add_description(scaler_numbers& numbers, std::string_view described) {
    numbers.ready = count_in(described, "ready_replicas");
    const std::string_view rise = json_member(described, "rise");
    numbers.rise = rise.empty() ? json() : json::parse(rise);
}

}  // namespace

json policy_of(const json& described) {
    const bool is_hpa = described.contains("minReplicas");
    json out{{"kind", described.value("kind", "")},
             {"min", described.value(is_hpa ? "minReplicas" : "minReplicaCount", 0)},
             {"max", described.value(is_hpa ? "maxReplicas" : "maxReplicaCount", 0)},
             {"metrics", described.at("metrics")},
             {"gpus_per_replica", described.value("gpusPerReplica", 1.0)}};
    if (described.contains("costPerGpuHour")) out["cost_per_gpu_hour"] = number_at(described, "costPerGpuHour");
    if (described.contains("scalingModifiers")) out["formula"] = described.at("scalingModifiers");
    return out;
}

void add_write(scaler_numbers& numbers, const gputide::decision& decision, bool written) {
    if (!written) {
        ++numbers.write_failures;
        return;
    }
    ++(decision.desired() > decision.current() ? numbers.scaled_up : numbers.scaled_down);
}

std::optional<double> target_of_metric(const json& metric) {
    const auto utilization = optional_number(metric, "averageUtilization");
    return utilization ? utilization : optional_number(metric, "target");
}

void board::change(const std::string& scaler, const std::function<void(scaler_numbers&)>& edit) {
    const std::lock_guard hold(lock_);
    edit(numbers_.scalers[scaler]);
}

void board::forget(const std::string& scaler) {
    problems_.forget(scaler);
    const std::lock_guard hold(lock_);
    numbers_.scalers.erase(scaler);
}

// Takes a decision.  A dry run wants the same change again at every tick.
void board::take_decision(const std::string& scaler, const gputide::event& event, const std::string& described,
                          double took_s) {
    const json reads = last_reads(described);
    json forecast;
    change(scaler, [&](scaler_numbers& numbers) {
        if (!described.empty()) add_policy(numbers, described);
        add_decision(numbers, event, reads, took_s);
        if (described.empty()) return;
        add_description(numbers, described);
        forecast = numbers.forecast;
    });
    if (!event.decision.wants_write()) problems_.set_single(scaler, code::write_failed, "");
    if (!described.empty()) notice_decision(problems_, scaler, event, reads, forecast);
}

void board::add_change(const std::string& scaler, const gputide::decision& decision, std::optional<bool> written) {
    const std::lock_guard hold(lock_);
    const auto found = numbers_.scalers.find(scaler);
    if (found == numbers_.scalers.end()) return;
    scaler_numbers& of = found->second;
    std::deque<ordered_json>& all = numbers_.changes;
    const auto last =
        std::find_if(all.rbegin(), all.rend(), [&](const auto& change) { return change.at("scaler") == scaler; });
    const bool is_known =
        last != all.rend() && last->at("from") == decision.current() && last->at("to") == decision.desired();
    if (!written && is_known) return;
    of.changed_ms = unix_now_ms();
    all.push_back({{"time_ms", of.changed_ms},
                   {"scaler", scaler},
                   {"from", decision.current()},
                   {"to", decision.desired()},
                   {"why", of.why + (of.drive.empty() ? "" : "; " + of.drive)},
                   {"written", or_null(written)}});
    if (all.size() > numbers::max_changes) all.pop_front();
}

void board::change_own(const std::function<void(numbers&)>& edit) {
    const std::lock_guard hold(lock_);
    edit(numbers_);
}

void board::describe(const std::string& scaler, const std::string& file, const std::string& described) {
    change(scaler, [&](scaler_numbers& numbers) {
        numbers.file = file;
        add_policy(numbers, described);
    });
}

namespace {

// read: null if the metric was not read yet.
ordered_json metric_json(const json& metric, const json* read, bool has_login) {
    ordered_json out{{"name", metric.value("metric", "")},
                     {"type", metric.value("type", "")},
                     {"target", or_null(target_of_metric(metric))},
                     {"activation", or_null(optional_number(metric, "activationThreshold"))}};
    if (read == nullptr || read->is_null()) return out;
    out["value"] = or_null(optional_number(*read, "value"));
    out["age_ms"] = read->value("age_ms", json());
    out["latency_ms"] = read->at("latency_ms");
    if (read->value("null_as_zero", false)) out["empty_as_zero"] = true;
    if (!read->contains("error")) return out;
    out["error_status"] = read->at("error").at("status");
    out["error"] = read_error(*read, has_login);
    return out;
}

ordered_json metrics_json(const scaler_numbers& scaler, bool has_login) {
    ordered_json out = ordered_json::array();
    const json& metrics = scaler.policy.at("metrics");
    for (std::size_t i = 0; i < metrics.size(); ++i)
        out.push_back(metric_json(metrics[i], i < scaler.reads.size() ? &scaler.reads[i] : nullptr, has_login));
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
    const json& formula = scaler.policy.at("formula");
    ordered_json out{{"formula", formula.value("formula", "")}, {"type", formula.value("metricType", "")}};
    for (const char* member : {"target", "activationTarget"}) {
        if (formula.contains(member)) out[member] = formula.at(member);
    }
    if (!scaler.formula_step.is_object()) return out;
    if (scaler.formula_step.contains("value")) out["value"] = scaler.formula_step.at("value");
    if (scaler.formula_step.contains("proposed_replicas"))
        out["proposed"] = scaler.formula_step.at("proposed_replicas");
    return out;
}

ordered_json scaler_json(const std::string& full_name, const scaler_numbers& scaler, const problems_by_object& problems,
                         bool has_login) {
    const scaler_name name = split_name(full_name);
    const gputide_decision& last = scaler.last;
    ordered_json out{{"namespace", name.space}, {"name", name.name}};
    out["file"] = scaler.file;
    for (const char* member : {"kind", "min", "max"}) out[member] = scaler.policy.at(member);
    out["decisions"] = scaler.decisions;
    add_problems(out, full_name, scaler.file, problems);
    out["metrics"] = metrics_json(scaler, has_login);
    if (scaler.policy.contains("formula")) out["formula"] = formula_json(scaler);
    out["gpus_per_replica"] = scaler.policy.at("gpus_per_replica");
    out["cost_per_gpu_hour"] = scaler.policy.value("cost_per_gpu_hour", json());
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
    out["changes"] = std::vector<ordered_json>(all.changes.rbegin(), all.changes.rend());
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
    for (const json& read : numbers.reads) queries.push_back(read.value("asks", ""));
    return dumped(ordered_json{{"points", std::move(points)}, {"queries", std::move(queries)}});
}

}  // namespace gputided
