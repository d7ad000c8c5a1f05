#include "run/pages/board.hpp"

#include "common/json.hpp"
#include "common/times.hpp"
#include "run/problems/problems.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

namespace gputided {

namespace {

metric_rule rule_of(const json& metric) {
    metric_rule out{metric.value("metric", ""), metric.value("type", ""), std::nullopt, std::nullopt};
    if (metric.contains("target")) out.target = number_at(metric, "target");
    if (metric.contains("averageUtilization")) out.target = number_at(metric, "averageUtilization");
    if (metric.contains("activationThreshold")) out.activation = number_at(metric, "activationThreshold");
    return out;
}

// Returns -1 if the member is missing.
std::int32_t count_in(std::string_view described, std::string_view member) {
    const auto value = json::parse(json_member(described, member), nullptr, false);
    return value.is_number_integer() ? value.get<std::int32_t>() : -1;
}

void add_point(scaler_numbers& numbers) {
    numbers.points.push_back({numbers.last.now_ms, numbers.last.current_replicas, numbers.last.desired_replicas});
    for (std::size_t i = 0; i < numbers.kept(); ++i) {
        const bool has = i < numbers.reads.size() && numbers.reads[i].value;
        numbers.values.push_back(has ? static_cast<float>(*numbers.reads[i].value)
                                     : std::numeric_limits<float>::quiet_NaN());
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

void add_decision(scaler_numbers& numbers, const gputide::event& event, const std::vector<metric_read>& reads,
                  double took_s) {
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
    for (const metric_read& read : reads) {
        if (!read.error_status.empty()) ++numbers.errors[read.error_status];
    }
    add_point(numbers);
}

// Takes the values of the manifest if it has changed.
void add_policy(scaler_numbers& numbers, std::string_view described) {
    const std::string_view text = json_member(described, "policy");
    const std::size_t fingerprint = std::hash<std::string_view>()(text);
    if (std::exchange(numbers.policy_fingerprint, fingerprint) == fingerprint) return;
    const json policy = json::parse(text);
    const std::size_t kept = numbers.kept();
    numbers.kind = policy.value("kind", "");
    const bool is_hpa = policy.contains("minReplicas");
    numbers.min = policy.value(is_hpa ? "minReplicas" : "minReplicaCount", 0);
    numbers.max = policy.value(is_hpa ? "maxReplicas" : "maxReplicaCount", 0);
    numbers.formula = policy.value("scalingModifiers", json());
    numbers.forecast = numbers.formula_step = json();  // of the previous manifest
    numbers.gpus_per_replica = policy.value("gpusPerReplica", 1.0);
    numbers.cost_per_gpu_hour.reset();
    if (policy.contains("costPerGpuHour")) numbers.cost_per_gpu_hour = number_at(policy, "costPerGpuHour");
    numbers.rules.clear();
    for (const auto& metric : policy.at("metrics")) numbers.rules.push_back(rule_of(metric));
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

void add_write(scaler_numbers& numbers, const gputide::decision& decision, bool written) {
    if (!written) {
        ++numbers.write_failures;
        return;
    }
    ++(decision.desired() > decision.current() ? numbers.scaled_up : numbers.scaled_down);
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
    const std::vector<metric_read> reads = last_reads(described);
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
    std::deque<size_change>& all = numbers_.changes;
    const auto last =
        std::find_if(all.rbegin(), all.rend(), [&](const auto& change) { return change.scaler == scaler; });
    const bool is_known = last != all.rend() && last->before == decision.current() && last->after == decision.desired();
    if (!written && is_known) return;
    of.changed_ms = unix_now_ms();
    all.push_back({of.changed_ms, scaler, decision.current(), decision.desired(),
                   of.why + (of.drive.empty() ? "" : "; " + of.drive), written});
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

}  // namespace gputided
