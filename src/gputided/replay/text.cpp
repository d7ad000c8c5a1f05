#include "common/text.hpp"

#include "replay/replay.hpp"
#include "replay/series.hpp"

#include <algorithm>
#include <cmath>

namespace gputided {

namespace {

constexpr std::size_t curve_columns = 72;
constexpr std::size_t shown_events = 10;

double number(const json& object, const char* name) { return object.value(name, 0.0); }

std::string percent_of_time(double minutes, const json& summary) {
    const double whole = number(summary, "duration_hours") * 60.0;
    return whole > 0 ? " (" + figure(minutes / whole * 100.0) + " %)" : "";
}

std::string minutes(const json& summary, const char* name) {
    return figure(number(summary, name)) + " min" + percent_of_time(number(summary, name), summary);
}

std::string line(const char* name, const std::string& text) {
    return padded(std::string("  ") + name + " ", 18) + text + "\n";
}

std::string model_text(const json& model) {
    std::string out = text_at(model, "name") + " loop";
    if (model.at("name") == "closed") {
        out += ", signal " + model.at("signal").at(0).get<std::string>();
        out += ", exporter " + figure(number(model, "exporter_ms") / 1000.0) + " s, scrape " +
               figure(number(model, "scrape_ms") / 1000.0) + " s";
    }
    return out + ", HPA every " + figure(number(model, "sync_ms") / 1000.0) + " s, seed " +
           std::to_string(integer_at(model, "seed"));
}

std::string startup_text(const json& model) {
    const std::string delays = delays_text(model.at("startup_ms").get<std::vector<std::int64_t>>());
    return delays.empty() ? "at once: no delay was given" : delays + "; each new replica draws one";
}

// Counts only the recorded time: a gap is not a time below target.
std::string above_text(const json& sums) {
    const double whole = number(sums, "duration_hours") * 60.0;
    const double covered = number(sums, "minutes_with_data");
    if (covered <= 0) return "; above target: unknown, the recording has no number";
    const double above = number(sums, "minutes_above_target");
    std::string out = "; above target " + figure(above) + " min (" + figure(above / covered * 100.0) + " %)";
    constexpr double whole_enough = 0.995;
    if (covered < whole * whole_enough) {
        out += " of the " + figure(covered) + " min that the recording covers, " + figure(covered / whole * 100.0) +
               " % of the time";
    }
    return out;
}

std::string limited_text(const json& limits) {
    std::string out;
    for (const auto& [name, value] : limits.items()) {
        if (name == "none") continue;
        out += (out.empty() ? "" : ", ") + name + " " + figure(value.get<double>()) + " min";
    }
    return out.empty() ? "nothing" : out;
}

std::string input_text(const json& input) {
    std::string out =
        figure(number(input, "points"), 0) + " points, step " + figure(number(input, "step_ms") / 1000.0) + " s";
    for (const char* flaw : {"gaps", "duplicates", "unordered", "not_a_number", "failed_reads"}) {
        if (number(input, flaw) > 0) out += ", " + std::string(flaw) + " " + figure(number(input, flaw), 0);
    }
    return out;
}

std::string forecast_text(const json& forecast) {
    std::string out = text_at(forecast, "mode") + ", " + text_at(forecast, "state") + " at the end; lead " +
                      figure(number(forecast, "lead_ms") / 60'000) + " min; raised " +
                      figure(number(forecast, "minutes_raised")) + " min; error " +
                      figure(number(forecast, "error"), 2) + " against " +
                      figure(number(forecast, "error_last_value"), 2) + " for the last value";
    if (!forecast.contains("history")) return out;
    const json& past = forecast.at("history");
    return out + "; history " + text_at(past, "outcome") + ", " + figure(number(past, "slots"), 0) + " values";
}

std::string curve(const char* name, const json& array) {
    const std::vector<double> values = numbers_in(array);
    double low = INFINITY;
    double high = -INFINITY;
    for (const double value : values) {
        low = std::fmin(low, value);
        high = std::fmax(high, value);
    }
    if (low > high) return "";
    return line(name, sparkline(values, curve_columns) + "  " + figure(low) + " .. " + figure(high));
}

// Returns "util 87 > 66; ": the metric that won, against the level that it passed.
std::string drive_text(const json& report, const json& event) {
    if (!event.contains("value")) return "";
    const bool up = event.at("desired_replicas").get<int>() > event.at("current_replicas").get<int>();
    for (const json& metric : report.at("policy").at("metrics")) {
        if (metric.at("metric") != event.at("metric")) continue;
        const bool is_average = metric.at("target_type") == "AverageValue";
        const double each = is_average ? std::max(event.at("current_replicas").get<int>(), 1) : 1;
        const double level = number(metric, up ? "above" : "target") * each;
        const double value = number(event, "value");
        const char* against = value > level ? " > " : value < level ? " < " : " = ";
        return text_at(event, "metric") + " " + figure(value, 2) + against + figure(level, 2) + "; ";
    }
    return "";
}

std::string events(const json& report) {
    const json& all = report.at("events");
    std::string out;
    for (std::size_t i = 0; i < std::min(all.size(), shown_events); ++i) {
        const json& event = all[i];
        out += "  " + text_at(event, "time") + "  " + event.at("current_replicas").dump() + " -> " +
               event.at("desired_replicas").dump() + "  " + drive_text(report, event) + text_at(event, "reason");
        if (event.at("limited_by") != "none") out += "; " + text_at(event, "limited_by");
        out += "\n";
    }
    const double rest = static_cast<double>(all.size()) - shown_events + number(report, "events_left_out");
    if (rest > 0)
        out += "  ... and " + figure(rest, 0) + " more; --output json and --html have them with their reasons\n";
    return out.empty() ? out : "Changes:\n" + out;
}

}  // namespace

std::string report_conclusion(const json& report) {
    const json& sums = report.at("summary");
    std::string out =
        figure(number(sums, "gpu_hours")) + " GPU-hours in " + figure(number(sums, "duration_hours")) + " h";
    if (number(sums, "cost") > 0) out += " (cost " + figure(number(sums, "cost"), 2) + ")";
    const double recorded = number(sums, "recorded_replica_hours");
    if (recorded > 0) {
        const double change = (number(sums, "replica_hours") / recorded - 1.0) * 100.0;
        out += ", " + figure(std::abs(change)) + (change <= 0 ? " % less" : " % more") + " than recorded";
    }
    out += above_text(sums) + "; " + figure(number(sums, "flaps"), 0) +
           (number(sums, "flaps") == 1 ? " flap; " : " flaps; ") + sums.at("least_replicas").dump() + " to " +
           sums.at("most_replicas").dump() + " replicas.";
    if (report.at("model").at("name") == "open") out += " Open loop: without the effect of scaling on the metric.";
    return out;
}

std::string report_text(const json& report) {
    const json& sums = report.at("summary");
    std::string out = full_name_in(report) + ": " + report_conclusion(report) + "\n";
    out += line("time", text_at(sums, "from") + " to " + text_at(sums, "to") + ", " + figure(number(sums, "steps"), 0) +
                            " decisions");
    out += line("model", model_text(report.at("model")));
    out += line("start-up", startup_text(report.at("model")));
    out += line("input", input_text(report.at("input")));
    out +=
        line("replicas", "mean " + figure(number(sums, "mean_replicas"), 2) + "; " +
                             figure(number(sums, "scale_ups"), 0) + " up, " + figure(number(sums, "scale_downs"), 0) +
                             " down, " + figure(number(sums, "flaps"), 0) + " of them flaps");
    out += line("at min", minutes(sums, "minutes_at_min") + "; at max " + minutes(sums, "minutes_at_max") +
                              "; at zero " + minutes(sums, "minutes_at_zero"));
    out += line("saturated", minutes(sums, "minutes_saturated") + "; low confidence " +
                                 minutes(sums, "minutes_low_confidence") + "; no value " +
                                 minutes(sums, "minutes_without_value"));
    out += line("held by", limited_text(sums.at("limited_minutes")));
    if (report.contains("forecast")) out += line("forecast", forecast_text(report.at("forecast")));
    if (report.contains("compared")) {
        for (const std::string& text : compared_lines(report.at("compared"))) out += line("", text);
    }
    if (report.contains("chart")) {
        out += curve("value", report.at("chart").at("value_high"));
        out += curve("asked for", report.at("chart").at("proposed"));
        out += curve("replicas", report.at("chart").at("replicas"));
    }
    for (const json& warning : report.at("warnings")) out += line("note", warning.get<std::string>());
    return out + events(report);
}

}  // namespace gputided
