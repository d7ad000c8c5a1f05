// The decisions of a log, taken again.
#include "base/time.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "replay/recording.hpp"
#include "replay/run.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide::replay {

namespace {

std::string write_line(const decide::policy& by, const decide::decision& made, std::int64_t written_ms) {
    return R"({"time":")" + format_rfc3339_ms(written_ms) + R"(","namespace":")" + by.scaling.name_space +
           R"(","name":")" + by.scaling.name + R"(","write":{"replicas":)" + std::to_string(made.desired_replicas) +
           ",\"applied\":true}}\n";
}

// Returns what gputided run would have written: ticks with a drift of some milliseconds, decisions applied write_ms later.
std::string live_log(const decide::policy& by, const std::vector<double>& load, std::int64_t each_ms = 15'013,
                     std::int64_t write_ms = 0) {
    decide::state state = decide::make_state(by);
    std::string out;
    std::int32_t size = 2;
    for (std::size_t i = 0; i < load.size(); ++i) {
        decide::observation seen;
        seen.now_ms = scene::start_ms + static_cast<std::int64_t>(i) * each_ms + 7;
        seen.spec_replicas = size;
        seen.ready_replicas = std::max(size - 1, 1);
        sample sample;
        sample.state = i == 9 ? sample_state::timeout : sample_state::ok;
        sample.status = i == 9 ? status::timeout : status::ok;
        sample.value = i == 9 ? 0.0 : load[i];
        seen.samples = {&sample, 1};
        decide::trace why;
        decide::decision made = decide::decide(by, state, seen, &why);
        out += decide::decision_json(by, made, &why) + "\n";
        decide::record_applied(by, state, made, seen.now_ms + write_ms);
        if (write_ms > 0 && made.desired_replicas != seen.spec_replicas)
            out += write_line(by, made, seen.now_ms + write_ms);
        size = made.desired_replicas;
    }
    return out;
}

verification verified(const decide::policy& by, const std::string& log, const std::string& set = "{}") {
    recording over;
    EXPECT_TRUE(read_log(log, "", over));
    EXPECT_TRUE(tidy(over));
    replayer of = scene::made(by, *read_settings("{\"verify\":true,\"set\":" + set + "}"));
    const result<void> done = run(of, over);
    EXPECT_TRUE(done) << done.failure().message;
    return of.compared;
}

TEST(Verify, EachDecisionComesOutAsItWas) {
    const auto by = scene::scaled_object(60);
    const std::string log = live_log(by, scene::a_step(30, 97, 30, 30));
    const verification found = verified(by, log);
    EXPECT_EQ(found.decisions, 90);
    EXPECT_EQ(found.same, 90) << found.first_difference;
}

// A pace of 2 pods in 15 s, looked at each 5 s: the third look after a write falls before or after the end of the pace,
// depending on when the write itself was.
TEST(Verify, ThePaceCountsFromTheWriteNotFromTheDecision) {
    auto by = scene::scaled_object(60);
    by.scaling.extra.sync_period_ms = 5'000;
    by.scaling.behavior = manifest::default_behavior(by.scaling.controller);
    by.scaling.behavior->up.policies = {{manifest::policy_type::pods, 2, 15}};
    const std::string log = live_log(by, std::vector<double>(40, 600), 5'000, 700);
    const verification found = verified(by, log);
    EXPECT_EQ(found.decisions, 40);
    EXPECT_EQ(found.same, 40) << found.first_difference;
}

TEST(Verify, AnotherThresholdShows) {
    const auto by = scene::scaled_object(60);
    const verification found = verified(by, live_log(by, scene::a_step(30, 97, 30, 30)), R"({"threshold":30})");
    EXPECT_LT(found.same, found.decisions);
    EXPECT_NE(found.first_difference.find("logged"), std::string::npos);
}

TEST(Verify, NeedsALog) {
    replayer of = scene::made(scene::scaled_object(60), *read_settings(R"({"verify":true})"));
    EXPECT_EQ(run(of, scene::values({1, 2})).failure().status, status::invalid);
}

}  // namespace

namespace {

using json = nlohmann::json;

constexpr std::int64_t day_ms = 86'400'000;

decide::policy queue_of_five() { return scene::scaled_object(5, manifest::target_type::average_value, 1, 40); }

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
                               scene::scaled_object(5, manifest::target_type::value, 1, 40));
    EXPECT_EQ(ran.at("forecast").at("history").at("outcome"), "no_total");
}

}  // namespace

}  // namespace gputide::replay
