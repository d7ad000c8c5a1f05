// The metrics of gputided run: of the runtime and of the scalers.
#include "common/text.hpp"
#include "run/pages/pages.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gputided {
namespace {

// Returns the shortest text that reads back as the same number.
std::string shortest(double value) {
    std::array<char, 32> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), written.ptr};
}

void add_sample(std::string& out, const std::string& name, const std::string& labels, double value) {
    out += name + (labels.empty() ? "" : "{" + labels + "}") + " " + shortest(value) + "\n";
}

double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000.0; }

std::string scaler_labels(const std::string& full_name) {
    const scaler_name name = split_name(full_name);
    return label("namespace", name.space) + "," + label("name", name.name);
}

// Returns the numbers of scaler_rows as far as they are known.
json document_of(const scaler_numbers& of) {
    const gputide_decision& last = of.last;
    const auto is_true = [&](int condition) { return last.conditions[condition].truth == GPUTIDE_TRUE; };
    json out{{"decisions", of.decisions},
             {"scaled_up", of.scaled_up},
             {"scaled_down", of.scaled_down},
             {"write_failures", of.write_failures},
             {"tick_failures", of.tick_failures},
             {"tick_seconds", of.tick_seconds},
             {"current", last.current_replicas},
             {"desired", last.desired_replicas},
             {"proposed", last.proposed_replicas},
             {"fallback", is_true(GPUTIDE_CONDITION_FALLBACK)},
             {"paused", is_true(GPUTIDE_CONDITION_PAUSED)},
             {"active", (last.flags & GPUTIDE_DECIDED_ACTIVE) != 0},
             {"time_s", seconds(last.now_ms)}};
    for (const char* member : {"min", "max", "gpus_per_replica", "cost_per_gpu_hour"}) {
        if (of.policy.at("kind") != "" && of.policy.contains(member)) out[member] = of.policy.at(member);
    }
    if (of.ready >= 0) out["ready"] = of.ready;
    return out;
}

constexpr document_row scaler_rows[] = {
    {"gputided_decisions_total", "counter", "Decisions taken.", "/decisions"},
    {"gputided_scale_up_total", "counter", "Writes of a larger replica count that succeeded.", "/scaled_up"},
    {"gputided_scale_down_total", "counter", "Writes of a smaller replica count that succeeded.", "/scaled_down"},
    {"gputided_write_failures_total", "counter", "Writes of a replica count that failed.", "/write_failures"},
    {"gputided_tick_failures_total", "counter", "Ticks without a decision.", "/tick_failures"},
    {"gputided_tick_seconds_total", "counter", "Time spent on fetching and deciding.", "/tick_seconds"},
    {"gputided_current_replicas", "gauge", "Replicas at the last decision.", "/current"},
    {"gputided_desired_replicas", "gauge", "Replicas that the last decision wants.", "/desired"},
    {"gputided_proposed_replicas", "gauge",
     "Replicas that the metrics propose, before stabilization, limits and bounds.", "/proposed"},
    {"gputided_fallback_active", "gauge", "1 while KEDA's fallback decides.", "/fallback"},
    {"gputided_paused", "gauge", "1 while an annotation pauses the scaler.", "/paused"},
    {"gputided_active", "gauge", "1 while a trigger is active.", "/active"},
    {"gputided_last_decision_timestamp_seconds", "gauge", "Time of the last decision.", "/time_s"},
    {"gputided_min_replicas", "gauge", "Minimum of the manifest.", "/min"},
    {"gputided_max_replicas", "gauge", "Maximum of the manifest.", "/max"},
    {"gputided_gpus_per_replica", "gauge", "GPUs of a replica (gputide.io/gpus-per-replica).", "/gpus_per_replica"},
    {"gputided_cost_per_gpu_hour", "gauge", "Price of a GPU for an hour (gputide.io/cost-per-gpu-hour), if given.",
     "/cost_per_gpu_hour"},
    {"gputided_ready_replicas", "gauge", "Ready pods, if known.", "/ready"}};

// Members of a metric's last read.
constexpr document_row value_rows[] = {{"gputided_metric_value", "gauge", "Last value of a metric.", "/value"}};
constexpr document_row read_rows[] = {
    {"gputided_metric_age_seconds", "gauge", "Age of the last value when it was read.", "/age_ms", 0.001},
    {"gputided_metric_failed", "gauge", "1 while a metric has no value.", "/error", unscaled, or_zero},
    {"gputided_metric_empty_as_zero", "gauge", "1 while the last result was empty and read as 0.", "/null_as_zero",
     unscaled, or_zero},
    {"gputided_metric_latency_seconds", "gauge", "Duration of the last read.", "/latency_ms", 0.001}};

// Members of the trace step "forecast".
constexpr document_row forecast_rows[] = {
    {"gputided_forecast_value", "gauge", "Load of the last slot.", "/value"},
    {"gputided_forecast_forecast", "gauge", "Predicted load.", "/forecast"},
    {"gputided_forecast_upper", "gauge", "Upper edge of the forecast's band.", "/upper"},
    {"gputided_forecast_floor_load", "gauge", "Largest load that the forecast prepares for.", "/floor_load"},
    {"gputided_forecast_error", "gauge", "Mean error of about the last day.", "/error"},
    {"gputided_forecast_error_last_value", "gauge", "Mean error of the last value as a forecast.", "/error_last_value"},
    {"gputided_forecast_skill_percent", "gauge",
     "How much smaller the forecast's loss is than that of the last value, in percent.", "/skill_percent"},
    {"gputided_forecast_held_percent", "gauge", "How often the load stayed below the upper edge.", "/held_percent"},
    {"gputided_forecast_extra_percent", "gauge",
     "Additional replica-hours caused by the forecast, in percent of those without it, over about a week.",
     "/extra_percent"},
    {"gputided_forecast_trimmed_percent", "gauge", "Part of the band that the budget removes.", "/trimmed_percent"},
    {"gputided_forecast_need", "gauge", "Replicas that the load in floor_load needs.", "/need"},
    {"gputided_forecast_shadow_replicas", "gauge", "Replicas without the forecast.", "/shadow_replicas"}};

// Returns the names of the constants from `first` to `last`.
std::vector<std::string> names_of(std::int32_t first, std::int32_t last, const char* (*name)(std::int32_t)) {
    std::vector<std::string> out;
    for (std::int32_t constant = first; constant <= last; ++constant) out.emplace_back(name(constant));
    return out;
}

// Returns the names of all limits of a decision.
const std::vector<std::string>& limit_names() {
    static const auto names = names_of(0, GPUTIDE_LIMIT_NO_CAPACITY, &gputide_limit_name);
    return names;
}

// Stages of a rise of the load, in the order of time.
constexpr const char* rise_stages[] = {"decision", "write", "ready", "below"};

constexpr char composite_name[] = "composite-metric";  // the formula's result, as in KEDA

// Returns the names of all statuses with which the read of a metric can fail.
const std::vector<std::string>& read_errors() {
    static const auto names = [] {
        std::vector<std::string> out = names_of(1, GPUTIDE_E_LIMIT, &gputide_status_name);
        out.insert(out.end(), {gputide_status_name(GPUTIDE_E_NO_MEMORY), gputide_status_name(GPUTIDE_E_BUG)});
        return out;
    }();
    return names;
}

// Returns the counts, with 0 for each of the names that has no count.
counts_by_name with_zeros(counts_by_name counts, const std::vector<std::string>& names) {
    for (const std::string& name : names) counts.emplace(name, 0);
    return counts;
}

// Adds a sample of a scaler, with more labels than those of the scaler.
using scaler_sample = std::function<void(const std::string& more_labels, double value)>;

void per_scaler(std::string& out, const numbers& all, const char* name, const char* type, const char* help,
                const std::function<void(const scaler_numbers&, const scaler_sample&)>& samples) {
    family(out, name, type, help, [&](const labelled& add) {
        for (const auto& [full_name, scaler] : all.scalers) {
            const std::string labels = scaler_labels(full_name);
            samples(scaler, [&](const std::string& more_labels, double value) {
                add(labels + (more_labels.empty() ? "" : ",") + more_labels, value);
            });
        }
    });
}

// Adds a sample per name, also for names that have not occurred.
void add_counts(const scaler_sample& add, const char* key, const counts_by_name& counts,
                const std::vector<std::string>& names) {
    for (const auto& [name, count] : with_zeros(counts, names)) add(label(key, name), static_cast<double>(count));
}

std::string metric_label(const std::string& metric) { return label("metric", metric); }

void scaler_metrics(std::string& out, const numbers& all) {
    std::deque<json> documents;
    labelled_objects scalers;
    for (const auto& [name, scaler] : all.scalers)
        scalers.emplace_back(scaler_labels(name), &documents.emplace_back(document_of(scaler)));
    add_rows(out, scaler_rows, scalers);
    per_scaler(out, all, "gputided_decisions_limited_total", "counter", "Decisions by their limit.",
               [](const scaler_numbers& of, const scaler_sample& add) {
                   add_counts(add, "limited_by", of.limited, limit_names());
               });
    per_scaler(out, all, "gputided_metric_errors_total", "counter", "Failed metric reads by status.",
               [](const scaler_numbers& of, const scaler_sample& add) {
                   add_counts(add, "status", of.errors, read_errors());
               });
    per_scaler(out, all, "gputided_limited", "gauge", "1 for the limit of the last decision, 0 for all others.",
               [](const scaler_numbers& of, const scaler_sample& add) {
                   const std::string last = of.decisions == 0 ? "" : gputide_limit_name(of.last.limited_by);
                   for (const std::string& limit : limit_names())
                       add(label("limited_by", limit), limit == last ? 1 : 0);
               });
}

void metric_metrics(std::string& out, const numbers& all) {
    labelled_objects reads, values;
    for (const auto& [name, scaler] : all.scalers) {
        const std::string labels = scaler_labels(name) + ",";
        for (const json& read : scaler.reads) reads.emplace_back(labels + metric_label(read.at("metric")), &read);
        // The formula's result has a value, but is not read.
        if (scaler.formula_step.is_object())
            values.emplace_back(labels + metric_label(composite_name), &scaler.formula_step);
    }
    values.insert(values.begin(), reads.begin(), reads.end());
    add_rows(out, value_rows, values);
    add_rows(out, read_rows, reads);
    per_scaler(out, all, "gputided_metric_target", "gauge", "Target of a metric; AverageValue: per replica.",
               [](const scaler_numbers& of, const scaler_sample& add) {
                   const auto add_target = [&](const std::string& metric, const std::string& type,
                                               std::optional<double> target) {
                       if (target) add(metric_label(metric) + "," + label("type", type), *target);
                   };
                   // With a formula only its result has a target.
                   if (const auto formula = of.policy.find("formula"); formula != of.policy.end())
                       return add_target(composite_name, formula->value("metricType", ""),
                                         number_at(*formula, "target"));
                   for (const json& metric : of.policy.at("metrics"))
                       add_target(metric.value("metric", ""), metric.value("type", ""), target_of_metric(metric));
               });
}

// Adds how long each scaler took to follow its last rise of load, and how long its load has been above the target.
void rise_metrics(std::string& out, const numbers& all) {
    per_scaler(out, all, "gputided_above_target_seconds", "gauge",
               "Time since the load rose above the replicas' capacity; 0: it is not above.",
               [now_ms = unix_now_ms()](const scaler_numbers& of, const scaler_sample& add) {
                   const bool is_open = !of.rise.is_null() && of.rise.value("open", false);
                   const std::int64_t began_ms = is_open ? integer_at(of.rise, "began_ms") : now_ms;
                   add("", seconds(std::max<std::int64_t>(0, now_ms - began_ms)));
               });
    per_scaler(out, all, "gputided_last_rise_seconds", "gauge",
               "The last rise of the load: time from its sample to a stage (docs/runtime.md).",
               [](const scaler_numbers& of, const scaler_sample& add) {
                   for (const char* stage : rise_stages) {
                       const std::string member = std::string(stage) + "_ms";
                       if (of.rise.is_null() || !of.rise.contains(member)) continue;
                       add(label("stage", stage), seconds(integer_at(of.rise, member.c_str())));
                   }
               });
}

void forecast_metrics(std::string& out, const numbers& all) {
    labelled_objects forecasts;
    for (const auto& [name, scaler] : all.scalers) {
        if (!scaler.forecast.is_null()) forecasts.emplace_back(scaler_labels(name), &scaler.forecast);
    }
    if (forecasts.empty()) return;
    add_rows(out, forecast_rows, forecasts);
    family(out, "gputided_forecast_state", "gauge", "1 for the state of the forecast, 0 for all others.",
           [&](const labelled& add) {
               static const auto states =
                   names_of(GPUTIDE_FORECAST_WARMING, GPUTIDE_FORECAST_ON, &gputide_forecast_state_name);
               for (const auto& [labels, forecast] : forecasts) {
                   const std::string now = forecast->value("state", "");
                   for (const std::string& state : states)
                       add(labels + "," + label("state", state), state == now ? 1 : 0);
               }
           });
}

constexpr document_row runtime_rows[] = {
    {"gputided_polls_total", "counter", "Polls begun.", "/polls"},
    {"gputided_polls_in_flight", "gauge", "Polls that wait for a response.", "/polls_in_flight"},
    {"gputided_failed_allocations_total", "counter", "Failed memory allocations, which were retried.",
     "/failed_allocations"},
    {"gputided_requests_total", "counter", "Requests sent to metric sources and for tokens.", "/requests/sent"},
    {"gputided_requests_in_flight", "gauge", "Requests that wait for a response.", "/requests/in_flight"},
    {"gputided_requests_held_total", "counter", "Requests not sent because of an open circuit.", "/requests/held"},
    {"gputided_shared_queries_total", "counter", "Queries answered by an equal query of another scaler.",
     "/requests/shared"},
    {"gputided_shared_query_ratio", "gauge", "Share of shared queries among all queries.", "/requests/shared_ratio"}};

constexpr document_row lateness_rows[] = {
    {"gputided_rises_total", "counter", "Rises of a load above the replicas' capacity.", "/rises"}};

// Returns 1 for true and for an object, which says more; NaN for no number.
double number_of(const json& value) {
    if (value.is_number()) return value.get<double>();
    return value.is_object() || value == true ? 1 : value.is_boolean() ? 0 : NAN;
}

// Adds a summary of durations.  high: the percentile between the median and the maximum.
void summary(std::string& out, const std::string& name, const char* help, const char* high,
             const labelled_objects& durations) {
    const std::pair<std::string, std::string> quantiles[] = {
        {"0.5", "p50"}, {std::string("0.") + high, std::string("p") + high}, {"1", "max"}};
    family(out, name, "summary", help, [&](const labelled& add) {
        for (const auto& [labels, took_ms] : durations) {
            for (const auto& [quantile, member] : quantiles)
                add(labels + (labels.empty() ? "" : ",") + label("quantile", quantile),
                    took_ms->value(member, 0.0) / 1000.0);
        }
    });
    for (const auto& [labels, took_ms] : durations) {
        add_sample(out, name + "_sum", labels, took_ms->value("sum", 0.0) / 1000.0);
        add_sample(out, name + "_count", labels, took_ms->value("count", 0.0));
    }
}

// Adds the metrics of the runtime from its statistics (gputide_runtime_stats).
void runtime_metrics(std::string& out, const std::string& runtime) {
    const json stats = json::parse(runtime);
    summary(out, "gputided_poll_lag_seconds", "Delay of polls before they began, since the start.", "99",
            {{"", &stats.at("poll_lag_ms")}});
    summary(out, "gputided_poll_latency_seconds", "Duration of polls with a request, since the start.", "99",
            {{"", &stats.at("poll_latency_ms")}});
    add_rows(out, runtime_rows, {{"", &stats}});
    counter_of(out, "gputided_poll_errors_total", "Reads that failed, over all scalers.", "reason",
               with_zeros(stats.at("errors").get<counts_by_name>(), read_errors()));
    const json& lateness = stats.at("lateness");
    add_rows(out, lateness_rows, {{"", &lateness}});
    labelled_objects stages;
    for (const char* stage : rise_stages)
        stages.emplace_back(label("stage", stage), &lateness.at(std::string(stage) + "_ms"));
    summary(out, "gputided_lateness_seconds",
            "Time from the first sample above the target to a stage of the rise, since the start.", "95", stages);
    json causes_s = lateness.at("cause_ms");
    for (json& time : causes_s) time = time.get<double>() / 1000.0;
    counter_of(out, "gputided_late_seconds_total",
               "Time of the ended rises above the target, by cause (docs/replay.md).", "cause", causes_s);
}

}  // namespace

std::string label(const char* name, const std::string& value) {
    std::string out = std::string(name) + "=\"";
    for (const char letter : value) {
        if (letter == '\\' || letter == '"') out += '\\';
        out += letter == '\n' ? std::string("\\n") : std::string(1, letter);
    }
    return out + '"';
}

void family(std::string& out, const std::string& name, const char* type, const char* help,
            const std::function<void(const labelled&)>& samples) {
    out += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
    samples([&](const std::string& labels, double value) { add_sample(out, name, labels, value); });
}

void single(std::string& out, const std::string& name, const char* type, const char* help, double value) {
    family(out, name, type, help, [&](const labelled& add) { add("", value); });
}

void counter_of(std::string& out, const std::string& name, const char* help, const char* key, const json& object) {
    family(out, name, "counter", help, [&](const labelled& add) {
        for (const auto& [member, count] : object.items()) add(label(key, member), count);
    });
}

void add_rows(std::string& out, std::span<const document_row> rows, const labelled_objects& documents) {
    for (const document_row& row : rows) {
        const json::json_pointer pointer(row.pointer);
        family(out, row.name, row.type, row.help, [&](const labelled& add) {
            for (const auto& [labels, document] : documents) {
                const double value = document->contains(pointer) ? number_of(document->at(pointer)) : row.otherwise;
                if (!std::isnan(value)) add(labels, value * row.factor);
            }
        });
    }
}

std::string metrics_page(const numbers& all, const std::string& runtime, const children_numbers& children,
                         std::int64_t dropped_lines) {
    std::string out;
    const auto count = [&](const char* name, const char* type, const char* help, auto value) {
        single(out, name, type, help, static_cast<double>(value));
    };
    family(out, "gputided_build_info", "gauge", "Always 1; the version is in the label.",
           [](const labelled& add) { add(label("version", gputide_version()), 1); });
    count("gputided_reloads_total", "counter", "Reloads of manifests.", all.reloads);
    count("gputided_reload_failures_total", "counter", "Reloads that kept the previous manifests.",
          all.reload_failures);
    count("gputided_state_save_failures_total", "counter", "Failed writes of --state.", all.state_save_failures);
    count("gputided_dropped_lines_total", "counter",
          "Dropped lines of stdout and the log, which were not read in time.", dropped_lines);
    count("gputided_scalers", "gauge", "Running scalers.", all.scalers.size());
    count("gputided_broken_manifests", "gauge", "Files with an error; their last valid content is in use.",
          all.broken.size());
    single(out, "gputided_last_reload_successful", "gauge",
           "1 if the manifests were read without an error the last time.", all.broken.empty() ? 1 : 0);
    single(out, "gputided_last_reload_success_timestamp_seconds", "gauge",
           "Time of the last reading of manifests without an error; 0: never, or with --kubernetes.",
           seconds(all.reloaded_ms));
    runtime_metrics(out, runtime);
    process_metrics(out);
    family(out, "gputided_children", "gauge", "Commands (--exec, --observe) by state.", [&](const labelled& add) {
        add(label("state", "running"), static_cast<double>(children.running));
        add(label("state", "waiting"), static_cast<double>(children.waiting));
    });
    scaler_metrics(out, all);
    metric_metrics(out, all);
    rise_metrics(out, all);
    forecast_metrics(out, all);
    return out;
}

}  // namespace gputided
