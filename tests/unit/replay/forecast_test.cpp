// A forecast in a replay: against the same replay without it, with a past that it has learned from.
#include "replay/run.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide::replay {
namespace {

using json = nlohmann::json;

constexpr std::int64_t day_ms = 86'400'000;

decide::policy queue_of_five() { return scene::scaled_object(5, config::target_type::average_value, 1, 40); }

// A value a minute: ten minutes of each hour are five times the rest.
recording hourly(std::int64_t days) {
    recording out;
    for (std::int64_t minute = 0; minute < days * 1440; ++minute)
        (void)add_point(out, 0, scene::start_ms + minute * 60'000, minute % 60 < 10 ? 100 : 20);
    (void)tidy(out);
    return out;
}

json report_of(const std::string& set, std::int64_t from_ms = 0, const decide::policy& by = queue_of_five()) {
    replayer of =
        scene::made(by, *read_settings(R"({"model":"closed","signal":"total","startup_ms":[300000],"from_ms":)" +
                                       std::to_string(from_ms) + R"(,"set":)" + set + "}"));
    const result<void> done = run(of, hourly(4));
    EXPECT_TRUE(done) << done.failure().message;
    return json::parse(report_json(of));
}

TEST(ForecastInAReplay, IsHeldAgainstTheSameReplayWithoutIt) {
    const json on = report_of(R"({"forecast":"act","forecast_budget_percent":100})");
    const json off = report_of(R"({"forecast":"off"})");
    const json& said = on.at("forecast");
    EXPECT_EQ(said.at("without").at("replica_hours"), off.at("summary").at("replica_hours"));
    EXPECT_EQ(said.at("without").at("minutes_above_target"), off.at("summary").at("minutes_above_target"));
    EXPECT_NEAR(
        said.at("extra_replica_hours").get<double>(),
        on.at("summary").at("replica_hours").get<double>() - off.at("summary").at("replica_hours").get<double>(),
        0.002);
    EXPECT_GT(said.at("extra_replica_hours"), 0);
    EXPECT_GT(said.at("minutes_raised"), 30);
    EXPECT_EQ(said.at("minutes_raised"), on.at("summary").at("limited_minutes").at("forecast"));
    EXPECT_LT(on.at("summary").at("minutes_above_target"), off.at("summary").at("minutes_above_target"));
    EXPECT_FALSE(off.contains("forecast"));
    bool told = false;
    for (const json& event : on.at("events")) {
        if (event.at("limited_by") != "forecast") continue;
        told = true;
        EXPECT_NE(event.at("text").get<std::string>().find("forecast: "), std::string::npos) << event;
    }
    EXPECT_TRUE(told);
}

TEST(ForecastInAReplay, ThatObservesChangesNothing) {
    json observed = report_of(R"({"forecast":"observe"})");
    const json off = report_of(R"({"forecast":"off"})");
    EXPECT_FALSE(observed.at("forecast").contains("without"));
    EXPECT_EQ(observed.at("forecast").at("minutes_raised"), 0);
    observed.erase("forecast");
    EXPECT_EQ(observed, off);
}

TEST(ForecastInAReplay, LearnsFromWhatLiesBeforeItsBegin) {
    const std::int64_t from_ms = scene::start_ms + 3 * day_ms;
    const std::string act = R"("forecast":"act","forecast_budget_percent":100)";
    const json cold = report_of("{" + act + "}", from_ms);
    const json told = report_of("{" + act + R"(,"forecast_history_ms":2419200000})", from_ms);
    EXPECT_EQ(cold.at("forecast").at("minutes_raised"), 0) << "a day is its warm-up";
    EXPECT_GT(told.at("forecast").at("minutes_raised"), 30);
    const json& past = told.at("forecast").at("history");
    EXPECT_EQ(past.at("outcome"), "read");
    EXPECT_EQ(past.at("slots"), 3 * 1440);
    EXPECT_EQ(past.at("missing"), 25 * 1440);
    const json whole = report_of("{" + act + R"(,"forecast_history_ms":86400000})");
    EXPECT_EQ(whole.at("forecast").at("history").at("outcome"), "empty") << "nothing lies before the series";
}

TEST(ForecastInAReplay, OfAValueHasNoPast) {
    const json ran = report_of(R"({"forecast":"act","forecast_history_ms":86400000})", scene::start_ms + 2 * day_ms,
                               scene::scaled_object(5, config::target_type::value, 1, 40));
    EXPECT_EQ(ran.at("forecast").at("history").at("outcome"), "no_total");
}

}  // namespace
}  // namespace gputide::replay
