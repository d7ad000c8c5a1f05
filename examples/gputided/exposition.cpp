#include "exposition.hpp"

#include <array>
#include <charconv>
#include <functional>
#include <optional>

namespace gputided {
namespace {

using labelled = std::function<void(const std::string& labels, double value)>;

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

std::string label(const char* name, const std::string& value) {
    return std::string(name) + "=\"" + escaped(value) + '"';
}

std::string scaler_labels(const std::string& full_name) {
    const std::size_t slash = full_name.find('/');
    return label("namespace", full_name.substr(0, slash)) + "," + label("name", full_name.substr(slash + 1));
}

void family(std::string& out, const char* name, const char* type, const char* help,
            const std::function<void(const labelled&)>& samples) {
    out += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
    samples([&](const std::string& labels, double value) {
        out += name + (labels.empty() ? "" : "{" + labels + "}") + " " + shortest(value) + "\n";
    });
}

// A family with one sample per scaler.
void per_scaler(std::string& out, const numbers& from, const char* name, const char* type, const char* help,
                const std::function<double(const scaler_numbers&)>& value) {
    family(out, name, type, help, [&](const labelled& add) {
        for (const auto& [full_name, one] : from.scalers) add(scaler_labels(full_name), value(one));
    });
}

// A family with one sample per entry of a map of each scaler.
void per_entry(std::string& out, const numbers& from, const char* name, const char* help, const char* key,
               std::map<std::string, std::int64_t> scaler_numbers::*entries) {
    family(out, name, "counter", help, [&](const labelled& add) {
        for (const auto& [full_name, one] : from.scalers) {
            for (const auto& [word, count] : one.*entries) {
                add(scaler_labels(full_name) + "," + label(key, word), static_cast<double>(count));
            }
        }
    });
}

// A family with one sample per metric of each scaler that has such a value.
void per_metric(std::string& out, const numbers& from, const char* name, const char* help,
                const std::function<std::optional<double>(const metric_read&)>& value) {
    family(out, name, "gauge", help, [&](const labelled& add) {
        for (const auto& [full_name, one] : from.scalers) {
            for (const metric_read& read : one.reads) {
                const std::optional<double> number = value(read);
                if (number) add(scaler_labels(full_name) + "," + label("metric", read.name), *number);
            }
        }
    });
}

double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000.0; }

void counters(std::string& out, const numbers& from) {
    per_scaler(out, from, "gputided_decisions_total", "counter", "Decisions taken.",
               [](const scaler_numbers& one) { return static_cast<double>(one.decisions); });
    per_entry(out, from, "gputided_decisions_limited_total", "Decisions by what limited them.", "limited_by",
              &scaler_numbers::limited);
    per_scaler(out, from, "gputided_scale_up_total", "counter", "Writes of a larger replica count that succeeded.",
               [](const scaler_numbers& one) { return static_cast<double>(one.scaled_up); });
    per_scaler(out, from, "gputided_scale_down_total", "counter", "Writes of a smaller replica count that succeeded.",
               [](const scaler_numbers& one) { return static_cast<double>(one.scaled_down); });
    per_scaler(out, from, "gputided_write_failures_total", "counter", "Writes of a replica count that failed.",
               [](const scaler_numbers& one) { return static_cast<double>(one.write_failures); });
    per_scaler(out, from, "gputided_tick_failures_total", "counter", "Ticks without a decision.",
               [](const scaler_numbers& one) { return static_cast<double>(one.tick_failures); });
    per_scaler(out, from, "gputided_tick_seconds_total", "counter", "Time spent on fetching and deciding.",
               [](const scaler_numbers& one) { return one.tick_seconds; });
    per_entry(out, from, "gputided_metric_errors_total", "Failed metric reads by status.", "status",
              &scaler_numbers::errors);
}

void gauges(std::string& out, const numbers& from) {
    per_scaler(out, from, "gputided_current_replicas", "gauge", "Replicas at the last decision.",
               [](const scaler_numbers& one) { return one.last.current_replicas; });
    per_scaler(out, from, "gputided_desired_replicas", "gauge", "Replicas that the last decision wants.",
               [](const scaler_numbers& one) { return one.last.desired_replicas; });
    per_scaler(out, from, "gputided_proposed_replicas", "gauge",
               "Replicas that the metrics ask for, before stabilisation, limits and bounds.",
               [](const scaler_numbers& one) { return one.last.proposed_replicas; });
    per_scaler(out, from, "gputided_active", "gauge", "1 while a trigger is active.",
               [](const scaler_numbers& one) { return (one.last.flags & GPUTIDE_DECIDED_ACTIVE) != 0 ? 1.0 : 0.0; });
    per_scaler(out, from, "gputided_last_decision_timestamp_seconds", "gauge", "When the last decision was taken.",
               [](const scaler_numbers& one) { return seconds(one.last.now_ms); });
    per_metric(out, from, "gputided_metric_value", "Last value of a metric.",
               [](const metric_read& read) { return read.value; });
    per_metric(out, from, "gputided_metric_age_seconds", "Age of the last value when it was read.",
               [](const metric_read& read) {
                   return read.age_ms ? std::optional<double>(seconds(*read.age_ms)) : std::nullopt;
               });
    per_metric(out, from, "gputided_metric_latency_seconds", "How long the last read took.",
               [](const metric_read& read) { return std::optional<double>(seconds(read.latency_ms)); });
}

// "  s0-prometheus 42.5", "  s0-prometheus E_AUTH"
std::string read_text(const metric_read& from) {
    std::string out = "  " + from.name + " ";
    if (!from.error_status.empty()) return out + from.error_status;
    if (!from.value) return out + "no value";
    return out + shortest(*from.value);
}

}  // namespace

std::string metrics_page(const numbers& from) {
    std::string out;
    family(out, "gputided_build_info", "gauge", "Always 1; the version is in the label.",
           [](const labelled& add) { add(label("version", gputide_version()), 1); });
    family(out, "gputided_reloads_total", "counter", "Manifests read again.",
           [&](const labelled& add) { add("", static_cast<double>(from.reloads)); });
    family(out, "gputided_reload_failures_total", "counter", "Reloads that kept the old manifests.",
           [&](const labelled& add) { add("", static_cast<double>(from.reload_failures)); });
    family(out, "gputided_state_save_failures_total", "counter", "Times that --state could not be written.",
           [&](const labelled& add) { add("", static_cast<double>(from.state_save_failures)); });
    counters(out, from);
    gauges(out, from);
    return out;
}

std::string status_page(const numbers& from) {
    std::string out = std::string("gputided ") + gputide_version() + ": /metrics /healthz /readyz\n\n";
    for (const auto& [name, one] : from.scalers) {
        out += name + "  " + std::to_string(one.last.current_replicas) + " -> " +
               std::to_string(one.last.desired_replicas) + "  limited by " + gputide_limit_name(one.last.limited_by);
        for (const metric_read& read : one.reads) out += read_text(read);
        out += "\n";
    }
    return out;
}

}  // namespace gputided
