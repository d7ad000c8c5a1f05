#include "board.hpp"

#include "files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace gputided {
namespace {

// "5", "42500m", "2k", "1Gi": as Kubernetes writes quantities.
std::optional<double> quantity(const std::string& text) {
    static const std::map<std::string, double> units{
        {"", 1},     {"m", 1e-3},    {"k", 1e3},     {"M", 1e6},     {"G", 1e9},     {"T", 1e12},    {"P", 1e15},
        {"E", 1e18}, {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"Ei", 0x1p60}};
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const auto unit = units.find(end);
    if (end == text.c_str() || unit == units.end()) return std::nullopt;
    return number * unit->second;
}

metric_rule rule_of(const nlohmann::json& from) {
    metric_rule out{from.value("name", ""), from.value("type", ""), std::nullopt, std::nullopt};
    if (from.contains("target")) out.target = quantity(from.at("target"));
    if (from.contains("averageUtilization")) out.target = from.at("averageUtilization").get<double>();
    if (from.contains("activationThreshold")) out.activation = from.at("activationThreshold").get<double>();
    return out;
}

void add_point(scaler_numbers& to) {
    to.points.push_back({to.last.now_ms, to.last.current_replicas, to.last.desired_replicas});
    for (std::size_t i = 0; i < to.kept(); ++i) {
        const bool has = i < to.reads.size() && to.reads[i].value;
        to.values.push_back(has ? static_cast<float>(*to.reads[i].value) : std::numeric_limits<float>::quiet_NaN());
    }
    if (to.points.size() <= scaler_numbers::most_points) return;
    to.points.pop_front();
    to.values.erase(to.values.begin(), to.values.begin() + static_cast<std::ptrdiff_t>(to.kept()));
}

// The sentence of the trace's last step.
std::string result_text(const std::string& report) {
    const auto trace = nlohmann::json::parse(report).value("trace", nlohmann::json::array());
    return trace.empty() ? std::string() : trace.back().value("text", "");
}

}  // namespace

void add_decision(scaler_numbers& to, const gputide::event& event, const std::vector<metric_read>& reads,
                  double took_s) {
    to.last = event.decision.c;
    to.tick_seconds += took_s;
    if (!event.decision.wants_write()) to.write_failed = false;  // there is nothing left to write
    ++to.decisions;
    ++to.limited[event.decision.limited_by()];
    to.why = result_text(event.report);
    if (event.decision.c.limited_by == GPUTIDE_LIMIT_NOT_DUE) return;  // nothing was read
    to.reads = reads;
    to.read_ms = unix_now_ms();
    for (const metric_read& read : reads) {
        if (!read.error_status.empty()) ++to.errors[read.error_status];
    }
    add_point(to);
}

void add_write(scaler_numbers& to, const gputide::decision& made, bool written) {
    to.write_failed = !written;
    if (!written) {
        ++to.write_failures;
        return;
    }
    ++(made.desired() > made.current() ? to.scaled_up : to.scaled_down);
}

void board::change(const std::string& scaler, const std::function<void(scaler_numbers&)>& how) {
    const std::lock_guard hold(lock_);
    how(numbers_.scalers[scaler]);
}

void board::forget(const std::string& scaler) {
    const std::lock_guard hold(lock_);
    numbers_.scalers.erase(scaler);
}

void board::change_own(const std::function<void(numbers&)>& how) {
    const std::lock_guard hold(lock_);
    how(numbers_);
}

void board::describe(const std::string& scaler, const std::string& file, const std::string& description) {
    const auto from = nlohmann::json::parse(description);
    change(scaler, [&](scaler_numbers& numbers) {
        const std::size_t kept = numbers.kept();
        numbers.file = file;
        numbers.kind = from.value("kind", "");
        const bool is_hpa = from.contains("minReplicas");
        numbers.least = from.value(is_hpa ? "minReplicas" : "minReplicaCount", 0);
        numbers.most = from.value(is_hpa ? "maxReplicas" : "maxReplicaCount", 0);
        numbers.rules.clear();
        for (const auto& one : from.at("metrics")) numbers.rules.push_back(rule_of(one));
        if (numbers.kept() == kept) return;
        numbers.points.clear();  // of other metrics
        numbers.values.clear();
    });
}

}  // namespace gputided
