// Recorded days: open and closed, with what they came to, and a log that is decided again.
#include "texts.hpp"

#include <vector>

namespace {

constexpr char manifest_spec[] = R"("idleReplicaCount":0,"minReplicaCount":1,"maxReplicaCount":5,)";

gputide::series two_hours() {
    gputide::series out;
    std::vector<std::int64_t> times;
    std::vector<double> values;
    std::vector<std::int32_t> sizes;
    for (int i = 0; i < 480; ++i) {
        times.push_back(start_ms + i * 15'000);
        values.push_back(i % 120 < 60 ? 95.0 : 0.0);
        sizes.push_back(2);
    }
    out.add(0, times, values);
    times.erase(times.begin());  // the first size is known a step later
    sizes.pop_back();
    out.add_replicas(times, sizes);
    return out;
}

void show_run(const std::string& manifest, const std::string& settings, const gputide::series& series) {
    gputide::replay run = gputide::replay::open(manifest, settings);
    run.run(series);
    show("replay_report", run.report());
}

// The log of a scaler that was run with reports.
std::string log_of(const std::string& manifest) {
    const gputide::policy policy = gputide::policy::open(manifest);
    gputide::state state(policy);
    std::string out, report;
    for (int i = 0; i < 3; ++i) {
        const std::int64_t now_ms = start_ms + i * 30'000;
        state.decide(policy, gputide::observation{}.at(now_ms).current(1).sample(gputide::value_sample(2, now_ms)),
                     &report);
        out += report + "\n";
    }
    return out;
}

// Three days in which ten minutes of each hour are five times the rest: the last one replayed, those before it its forecast's past.
void show_forecast_run() {
    gputide::series series;
    std::vector<std::int64_t> times;
    std::vector<double> values;
    for (int minute = 0; minute < 3 * 1440 - 4; ++minute) {
        times.push_back(start_ms + minute * 60'000);
        values.push_back(minute % 60 < 10 ? 100 : 20);
    }
    series.add(0, times, values);
    show_run(
        scaled_object("ahead", R"({"type":"values","metadata":{"threshold":"5"}})",
                      R"("minReplicaCount":1,"maxReplicaCount":40,)"),
        R"({"from_ms":)" + std::to_string(start_ms + 2 * 86'400'000) +
            R"(,"chart_points":10,"set":{"forecast":"act","forecast_history_ms":172800000,"forecast_budget_percent":100}})",
        series);
}

}  // namespace

void show_replays() {
    show_forecast_run();
    const std::string object =
        scaled_object("day", R"({"type":"values","metadata":{"threshold":"40"}})", manifest_spec);
    const std::string hpa = autoscaler(
        "day",
        R"({"type":"External","external":{"metric":{"name":"load"},"target":{"type":"AverageValue","averageValue":"40"}}})");
    gputide::series series = two_hours();
    show("series_describe", series.describe());
    show_run(object, R"({"chart_points":50})", series);
    show_run(object, R"({"model":"closed","signal":"utilization","chart_points":50,"startup_ms":[60000]})", series);
    show_run(object, R"({"model":"closed","signal":"utilization"})", series);  // warns: no start-up delay
    show_run(hpa, "{}", series);
    show_run(scaled_object("formula", R"({"type":"values","name":"load","metadata":{"threshold":"40"}})",
                           R"("advanced":{"scalingModifiers":{"formula":"load * 2","target":"80"}},)"),
             "{}", series);
    gputide::series log;
    const std::string text = log_of(object);
    log.read(0, text);
    log.read(GPUTIDE_NO_METRIC, text);
    show("series_describe", log.describe());
    show_run(object, R"({"verify":true})", log);
}
