// A forecast that has learned for two days, and one after a slot without a reading.
#include "texts.hpp"

namespace {

gputide::policy forecasting(const std::string& annotations) {
    return gputide::policy::open(scaled_object("ahead", R"({"type":"values","metadata":{"threshold":"5"}})",
                                               R"("minReplicaCount":1,"maxReplicaCount":40,)", annotations));
}

// Two days in which ten minutes of each hour are five times the rest, and the decision before such a time.
void show_forecast_in_decisions() {
    const gputide::policy policy =
        forecasting(R"("gputide.io/forecast":"act","gputide.io/forecast-warmup":"1h","gputide.io/forecast-budget":"100",
            "gputide.io/sync-period":"60s")");
    show("policy_describe", policy.describe());
    show("policy_describe",
         forecasting(R"("gputide.io/forecast":"observe","gputide.io/forecast-budget":"none")").describe());
    gputide::state state(policy);
    std::int32_t size = 4;
    for (int minute = 0; minute < 2 * 1440 - 4; ++minute) {
        gputide::observation seen = gputide::observation{}.at(start_ms + minute * 60'000).current(size);
        seen.sample(gputide::value_sample(minute % 60 < 10 ? 100 : 20));
        std::string report;
        size = state.decide(policy, seen, &report).desired();
        if (minute % 1440 > 1434 || minute < 2) show("decision", report);
    }
    show("state_describe", state.describe(policy));
}

}  // namespace

void show_forecasts() {
    show_forecast_in_decisions();
    gputide::forecast forecast = gputide::forecast::open(R"({"warmup_ms":3600000,"budget_percent":100})");
    show("forecast_describe", forecast.describe());
    for (int minute = 0; minute < 2 * 1440; ++minute) {
        const int reactive = minute % 60 < 10 ? 20 : 4;
        forecast.add(start_ms + minute * 60'000, 5 * reactive);
        forecast.charge(forecast.floor(5, reactive, reactive, 40).replicas, reactive);
    }
    show("forecast_describe", forecast.describe());
    show("forecast_describe", gputide::forecast::open(R"({"budget_percent":null})").describe());
}
