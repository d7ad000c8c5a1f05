// Replay, forecasts, nodes, right-sizing, jobs.
#include "scenario.hpp"

#include <array>
#include <cstring>

namespace exhaustion {
namespace {

constexpr char manifest[] = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"demo"},
    "spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":20,
    "triggers":[{"type":"values","metadata":{"threshold":"5"}}]}})";

gputide_status replay() {
    constexpr char csv[] = "time,value\n1795255200,10\n1795255215,40\n1795255230,45\n1795255245,12\n";
    const std::array<std::int64_t, 2> times{start_ms + 60'000, start_ms + 75'000};
    const std::array values{30.0, 31.0};
    const std::array<std::int32_t, 2> sizes{3, 4};
    gputide_series* series = nullptr;
    gputide_replay *replay = nullptr, *by_hand = nullptr;
    auto sample = sized<gputide_sample>();
    sample.state = GPUTIDE_SAMPLE_OK;
    sample.value = 42.5;
    auto next = sized<gputide_decision>();
    text written, json, report;
    steps all;
    all.then([&] { return GPUTIDE(series_new, &series, nullptr); })
        .then([&] { return GPUTIDE(series_read, series, 0, csv, GPUTIDE_TEXT, nullptr, nullptr); })
        .then([&] { return GPUTIDE(series_add, series, 0, times.data(), values.data(), 2, nullptr); })
        .then([&] { return GPUTIDE(series_add_replicas, series, times.data(), sizes.data(), 2, nullptr); })
        .then([&] { return GPUTIDE(series_describe, series, &json.value, nullptr); })
        .then([&] { return GPUTIDE(series_write, series, &written.value, nullptr); })
        .then(
            [&] { return GPUTIDE(replay_open, manifest, GPUTIDE_TEXT, nullptr, "{}", GPUTIDE_TEXT, &replay, nullptr); })
        .then([&] { return GPUTIDE(replay_run, replay, series, nullptr, nullptr); })
        .then([&] { return GPUTIDE(replay_report, replay, &report.value, nullptr); })
        .then([&] {
            return GPUTIDE(replay_open, manifest, GPUTIDE_TEXT, nullptr, "{}", GPUTIDE_TEXT, &by_hand, nullptr);
        })
        .then([&] {
            return GPUTIDE(replay_record, by_hand, start_ms, &sample, static_cast<std::uint32_t>(sizeof sample), 1, 3,
                           &next, nullptr);
        });
    GPUTIDE(replay_free, by_hand);
    GPUTIDE(replay_free, replay);
    GPUTIDE(series_free, series);
    return all.status();
}

gputide_status series_fetch() {
    gputide_series* series = nullptr;
    gputide_scaler* scaler = nullptr;
    steps all;
    all.then([&] { return GPUTIDE(series_new, &series, nullptr); })
        .then([&] { return GPUTIDE(scaler_open, manifest, GPUTIDE_TEXT, nullptr, &scaler, nullptr); })
        .then([&] {
            // Pushed values have no history: refused by name.
            const gputide_status no =
                GPUTIDE(series_fetch, series, scaler, 0, start_ms, start_ms + 60'000, 15'000, 1000, nullptr, nullptr);
            return no == GPUTIDE_E_UNSUPPORTED ? GPUTIDE_OK : no;
        });
    GPUTIDE(scaler_free, scaler);
    GPUTIDE(series_free, series);
    return all.status();
}

gputide_status forecast() {
    gputide_forecast* forecast = nullptr;
    auto floor = sized<gputide_floor>();
    text json, saved;
    steps all;
    all.then([&] { return GPUTIDE(forecast_open, "{\"lead_ms\":600000}", GPUTIDE_TEXT, &forecast, nullptr); })
        .then([&] { return GPUTIDE(forecast_add, forecast, start_ms, 42.5, nullptr); })
        .then([&] { return GPUTIDE(forecast_floor, forecast, 5.0, 4, 4, 20, &floor, nullptr); })
        .then([&] { return GPUTIDE(forecast_charge, forecast, 4, 4, nullptr); })
        .then([&] { return GPUTIDE(forecast_describe, forecast, &json.value, nullptr); })
        .then([&] { return GPUTIDE(forecast_save, forecast, &saved.value, nullptr); })
        .then([&] { return GPUTIDE(forecast_load, forecast, saved.value.data, GPUTIDE_TEXT, nullptr); });
    GPUTIDE(forecast_free, forecast);
    return all.status();
}

// An item that was not read for want of memory would be missing without a word.
gputide_status nodes() {
    constexpr char cluster[] = R"({"pools":[{"id":"gpu","max":3,"allocatable":{"cpu":4000,"nvidia.com/gpu":1}}],
        "groups":[{"name":"jobs","count":5,"pod":{"requests":{"nvidia.com/gpu":1}}}]})";
    text json, state;
    const gputide_status planned =
        GPUTIDE(nodes_plan, cluster, GPUTIDE_TEXT, nullptr, 0, start_ms, nullptr, &json.value, &state.value, nullptr);
    if (planned != GPUTIDE_OK) return planned;
    return std::strstr(json.value.data, "\"on_new\":3") != nullptr ? GPUTIDE_OK : GPUTIDE_E_BUG;
}

gputide_status rightsize() {
    gputide_rightsize* sizes = nullptr;
    std::uint32_t container = 0, taken = 0;
    std::array<gputide_usage_sample, 2> samples{};
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i].time_ms = start_ms + static_cast<std::int64_t>(i) * 60'000;
        samples[i].flags = GPUTIDE_USAGE_BUSY | GPUTIDE_USAGE_MEMORY;
        samples[i].busy = 40.0;
        samples[i].memory_bytes = 8'000'000'000;
    }
    text described, json, fits, saved;
    steps all;
    all.then([&] { return GPUTIDE(rightsize_open, "{}", GPUTIDE_TEXT, nullptr, &sizes, nullptr); })
        .then([&] { return GPUTIDE(rightsize_describe, sizes, &described.value, nullptr); })
        .then([&] { return GPUTIDE(rightsize_container, sizes, "llm", &container, nullptr); })
        .then([&] {
            for (gputide_usage_sample& sample : samples) sample.container = container;
            return GPUTIDE(rightsize_add, sizes, samples.data(), static_cast<std::uint32_t>(sizeof samples[0]), 2,
                           &taken, nullptr);
        })
        .then([&] { return GPUTIDE(rightsize_recommend, sizes, container, start_ms + 120'000, &json.value, nullptr); })
        .then([&] { return GPUTIDE(rightsize_fit, sizes, 10'000'000'000, 50.0, &fits.value, nullptr); })
        .then([&] { return GPUTIDE(rightsize_save, sizes, container, start_ms + 120'000, &saved.value, nullptr); })
        .then([&] { return GPUTIDE(rightsize_load, sizes, container, saved.value.data, GPUTIDE_TEXT, nullptr); });
    GPUTIDE(rightsize_free, sizes);
    return all.status();
}

gputide_status jobs() {
    constexpr char job[] = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"batch"},"spec":{
        "jobTargetRef":{"template":{"spec":{"containers":[{"name":"a","image":"b"}],"restartPolicy":"Never"}}},
        "triggers":[{"type":"values","metadata":{"threshold":"5"}}]}})";
    text decision;
    return GPUTIDE(scaled_job_decide, job, GPUTIDE_TEXT, nullptr, R"({"values":[23],"running":1,"pending":0})",
                   GPUTIDE_TEXT, &decision.value, nullptr);
}

}  // namespace

void add_planning(std::vector<scenario>& all) {
    all.insert(all.end(), {{"replay", replay},
                           {"series fetch", series_fetch},
                           {"forecast", forecast},
                           {"nodes plan", nodes},
                           {"rightsize", rightsize},
                           {"jobs", jobs}});
}

}  // namespace exhaustion
