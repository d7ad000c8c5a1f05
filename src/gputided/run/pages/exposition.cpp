#include "run/pages/exposition.hpp"

#include "common/text.hpp"
#include "run/pages/families.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace gputided {
namespace {

// The shortest digits that read back as the same number.
std::string shortest(double value) {
    std::array<char, 32> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), written.ptr};
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\' || c == '"') out += '\\';
        out += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return out;
}

}  // namespace

std::string label(const char* name, const std::string& value) {
    return std::string(name) + "=\"" + escaped(value) + '"';
}

void family(std::string& out, const char* name, const char* type, const char* help,
            const std::function<void(const labelled&)>& samples) {
    out += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
    samples([&](const std::string& labels, double value) {
        out += name + (labels.empty() ? "" : "{" + labels + "}") + " " + shortest(value) + "\n";
    });
}

namespace {

std::string scaler_labels(const std::string& full_name) {
    const scaler_name name = split_name(full_name);
    return label("namespace", name.space) + "," + label("name", name.name);
}

// A family with one sample per scaler.
void per_scaler(std::string& out, const numbers& all, const char* name, const char* type, const char* help,
                const std::function<double(const scaler_numbers&)>& value) {
    family(out, name, type, help, [&](const labelled& add) {
        for (const auto& [full_name, scaler] : all.scalers) add(scaler_labels(full_name), value(scaler));
    });
}

// A family with one sample per entry of a map of each scaler.
void per_entry(std::string& out, const numbers& all, const char* name, const char* help, const char* key,
               std::map<std::string, std::int64_t> scaler_numbers::*entries) {
    family(out, name, "counter", help, [&](const labelled& add) {
        for (const auto& [full_name, scaler] : all.scalers) {
            for (const auto& [word, count] : scaler.*entries) {
                add(scaler_labels(full_name) + "," + label(key, word), static_cast<double>(count));
            }
        }
    });
}

// A family with one sample per metric of each scaler that has such a value.
void per_metric(std::string& out, const numbers& all, const char* name, const char* help,
                const std::function<std::optional<double>(const metric_read&)>& value) {
    family(out, name, "gauge", help, [&](const labelled& add) {
        for (const auto& [full_name, scaler] : all.scalers) {
            for (const metric_read& read : scaler.reads) {
                const std::optional<double> number = value(read);
                if (number) add(scaler_labels(full_name) + "," + label("metric", read.name), *number);
            }
        }
    });
}

double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000.0; }

void counters(std::string& out, const numbers& all) {
    per_scaler(out, all, "gputided_decisions_total", "counter", "Decisions taken.",
               [](const scaler_numbers& scaler) { return static_cast<double>(scaler.decisions); });
    per_entry(out, all, "gputided_decisions_limited_total", "Decisions by what limited them.", "limited_by",
              &scaler_numbers::limited);
    per_scaler(out, all, "gputided_scale_up_total", "counter", "Writes of a larger replica count that succeeded.",
               [](const scaler_numbers& scaler) { return static_cast<double>(scaler.scaled_up); });
    per_scaler(out, all, "gputided_scale_down_total", "counter", "Writes of a smaller replica count that succeeded.",
               [](const scaler_numbers& scaler) { return static_cast<double>(scaler.scaled_down); });
    per_scaler(out, all, "gputided_write_failures_total", "counter", "Writes of a replica count that failed.",
               [](const scaler_numbers& scaler) { return static_cast<double>(scaler.write_failures); });
    per_scaler(out, all, "gputided_tick_failures_total", "counter", "Ticks without a decision.",
               [](const scaler_numbers& scaler) { return static_cast<double>(scaler.tick_failures); });
    per_scaler(out, all, "gputided_tick_seconds_total", "counter", "Time spent on fetching and deciding.",
               [](const scaler_numbers& scaler) { return scaler.tick_seconds; });
    per_entry(out, all, "gputided_metric_errors_total", "Failed metric reads by status.", "status",
              &scaler_numbers::errors);
}

void gauges(std::string& out, const numbers& all) {
    per_scaler(out, all, "gputided_current_replicas", "gauge", "Replicas at the last decision.",
               [](const scaler_numbers& scaler) { return scaler.last.current_replicas; });
    per_scaler(out, all, "gputided_desired_replicas", "gauge", "Replicas that the last decision wants.",
               [](const scaler_numbers& scaler) { return scaler.last.desired_replicas; });
    per_scaler(out, all, "gputided_proposed_replicas", "gauge",
               "Replicas that the metrics ask for, before stabilisation, limits and bounds.",
               [](const scaler_numbers& scaler) { return scaler.last.proposed_replicas; });
    family(out, "gputided_limited", "gauge", "Always 1; what limited the last decision is in the label.",
           [&](const labelled& add) {
               for (const auto& [full_name, scaler] : all.scalers) {
                   if (scaler.decisions == 0) continue;
                   add(scaler_labels(full_name) + "," + label("limited_by", gputide_limit_name(scaler.last.limited_by)),
                       1);
               }
           });
    per_scaler(out, all, "gputided_active", "gauge", "1 while a trigger is active.", [](const scaler_numbers& scaler) {
        return (scaler.last.flags & GPUTIDE_DECIDED_ACTIVE) != 0 ? 1.0 : 0.0;
    });
    per_scaler(out, all, "gputided_last_decision_timestamp_seconds", "gauge", "When the last decision was taken.",
               [](const scaler_numbers& scaler) { return seconds(scaler.last.now_ms); });
    per_metric(out, all, "gputided_metric_value", "Last value of a metric.",
               [](const metric_read& read) { return read.value; });
    per_metric(out, all, "gputided_metric_age_seconds", "Age of the last value when it was read.",
               [](const metric_read& read) {
                   return read.age_ms ? std::optional<double>(seconds(*read.age_ms)) : std::nullopt;
               });
    per_metric(out, all, "gputided_metric_empty_as_zero", "1 while the last answer was empty and read as 0.",
               [](const metric_read& read) { return std::optional<double>(read.is_empty_as_zero ? 1.0 : 0.0); });
    per_metric(out, all, "gputided_metric_latency_seconds", "How long the last read took.",
               [](const metric_read& read) { return std::optional<double>(seconds(read.latency_ms)); });
}

// What the forecast's step says, under the names that it has there.
void forecast_gauges(std::string& out, const numbers& all) {
    struct gauge {
        const char* member;
        const char* help;
    };
    static constexpr gauge gauges[] = {{"value", "Load of the last slot."},
                                       {"forecast", "Load that is said to come."},
                                       {"upper", "Upper edge of the band around it."},
                                       {"floor_load", "Load to be ready for."},
                                       {"error", "Mean error of about the last day."},
                                       {"error_last_value", "The same of saying that nothing will change."},
                                       {"skill_percent", "How much less the forecast lost than the last value."},
                                       {"held_percent", "How often the upper edge held."},
                                       {"extra_percent", "Replica-hours beyond the shadow's, of about a week."},
                                       {"trimmed_percent", "How much of the band the budget takes back."},
                                       {"need", "Replicas that the load to be ready for takes."},
                                       {"shadow_replicas", "Replicas that there would be without the forecast."}};
    for (const gauge& one : gauges) {
        family(out, (std::string("gputided_forecast_") + one.member).c_str(), "gauge", one.help,
               [&](const labelled& add) {
                   for (const auto& [full_name, scaler] : all.scalers) {
                       const auto found = scaler.forecast.find(one.member);
                       if (found != scaler.forecast.end()) add(scaler_labels(full_name), found->get<double>());
                   }
               });
    }
    family(out, "gputided_forecast_state", "gauge", "Always 1; how the forecast stands is in the label.",
           [&](const labelled& add) {
               for (const auto& [full_name, scaler] : all.scalers) {
                   if (scaler.forecast.is_null()) continue;
                   add(scaler_labels(full_name) + "," + label("state", scaler.forecast.value("state", "")), 1);
               }
           });
}

// What the runtime counts over all scalers.
void runtime_metrics(std::string& out, const nlohmann::json& stats) {
    const auto number = [&](const char* pointer) { return stats.value(nlohmann::json::json_pointer(pointer), 0.0); };
    const auto summary = [&](const char* name, const char* help, const std::string& path) {
        family(out, name, "summary", help, [&](const labelled& add) {
            for (const auto& [quantile, member] : {std::pair{"0.5", "/p50"}, {"0.99", "/p99"}, {"1", "/max"}}) {
                add(label("quantile", quantile), number((path + member).c_str()) / 1000.0);
            }
        });
        out += std::string(name) + "_sum " + shortest(number((path + "/sum").c_str()) / 1000.0) + "\n";
        out += std::string(name) + "_count " + shortest(number((path + "/count").c_str())) + "\n";
    };
    const auto single = [&](const char* name, const char* type, const char* help, double value) {
        family(out, name, type, help, [&](const labelled& add) { add("", value); });
    };
    summary("gputided_poll_lag_seconds", "How much later than planned polls began, since the start.", "/poll_lag_ms");
    summary("gputided_poll_latency_seconds", "How long polls took that asked somebody, since the start.",
            "/poll_latency_ms");
    single("gputided_polls_total", "counter", "Polls begun.", number("/polls"));
    single("gputided_polls_in_flight", "gauge", "Polls that wait for an answer.", number("/polls_in_flight"));
    family(out, "gputided_poll_errors_total", "counter", "Reads that failed, over all scalers.",
           [&](const labelled& add) {
               for (const auto& [reason, count] : stats.at("errors").items()) add(label("reason", reason), count);
           });
    single("gputided_failed_allocations_total", "counter", "Allocations that found no memory and were survived.",
           number("/failed_allocations"));
    if (!stats.contains("requests")) return;
    single("gputided_requests_total", "counter", "Requests sent to metric sources and for tokens.",
           number("/requests/sent"));
    single("gputided_requests_in_flight", "gauge", "Requests that wait for an answer.", number("/requests/in_flight"));
    single("gputided_requests_held_total", "counter",
           "Requests not sent, as their endpoint's circuit breaker was open.", number("/requests/held"));
    single("gputided_shared_queries_total", "counter", "Queries answered by another scaler's equal one.",
           number("/requests/shared"));
    single("gputided_shared_query_ratio", "gauge", "Share of all queries that another scaler's equal one answered.",
           number("/requests/shared_ratio"));
}

void command_metrics(std::string& out, const children_numbers& children) {
    family(out, "gputided_children", "gauge", "Commands (--exec, --observe) by what they do.",
           [&](const labelled& add) {
               add(label("state", "running"), static_cast<double>(children.running));
               add(label("state", "waiting"), static_cast<double>(children.waiting));
           });
}

}  // namespace

std::string metrics_page(const numbers& all, const std::string& runtime, const children_numbers& children,
                         std::int64_t dropped_lines) {
    std::string out;
    family(out, "gputided_build_info", "gauge", "Always 1; the version is in the label.",
           [](const labelled& add) { add(label("version", gputide_version()), 1); });
    family(out, "gputided_reloads_total", "counter", "Manifests read again.",
           [&](const labelled& add) { add("", static_cast<double>(all.reloads)); });
    family(out, "gputided_reload_failures_total", "counter", "Reloads that kept the old manifests.",
           [&](const labelled& add) { add("", static_cast<double>(all.reload_failures)); });
    family(out, "gputided_state_save_failures_total", "counter", "Times that --state could not be written.",
           [&](const labelled& add) { add("", static_cast<double>(all.state_save_failures)); });
    family(out, "gputided_dropped_lines_total", "counter", "Lines of stdout and the log that nobody read in time.",
           [&](const labelled& add) { add("", static_cast<double>(dropped_lines)); });
    family(out, "gputided_scalers", "gauge", "Scalers that are run.",
           [&](const labelled& add) { add("", static_cast<double>(all.scalers.size())); });
    family(out, "gputided_broken_manifests", "gauge", "Files that cannot be used now; what they said before is in use.",
           [&](const labelled& add) { add("", static_cast<double>(all.broken.size())); });
    runtime_metrics(out, nlohmann::json::parse(runtime));
    command_metrics(out, children);
    counters(out, all);
    gauges(out, all);
    if (std::any_of(all.scalers.begin(), all.scalers.end(),
                    [](const auto& one) { return !one.second.forecast.is_null(); })) {
        forecast_gauges(out, all);
    }
    return out;
}

}  // namespace gputided
