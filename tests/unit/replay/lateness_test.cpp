// Lateness: the stages of each rise above the target, and what took the time.
#include "replay/run.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide::replay {
namespace {

using json = nlohmann::json;
using decide::late_cause;
using decide::limit;
using decide::load_look;

// 30 on 3 replicas, then 60 for an hour; the target is 10 each.
json lateness_of(const decide::policy& by, const std::string& settings) {
    replayer of = scene::made(by, *read_settings(settings));
    std::vector<double> load(40, 30.0);
    load.insert(load.end(), 240, 60.0);
    const result<void> done = run(of, scene::values(load));
    EXPECT_TRUE(done) << done.failure().message;
    return json::parse(report_json(of)).at("summary").at("lateness");
}

decide::policy ten_each(std::int32_t max = 20) {
    return scene::scaled_object(10, manifest::target_type::average_value, 1, max);
}

TEST(Lateness, OfTheStartUp) {
    const json late = lateness_of(ten_each(), R"({"initial_replicas":3,"startup_ms":[90000]})");
    EXPECT_EQ(late.at("rises"), 1);
    EXPECT_EQ(late.at("decision_seconds").at("p95"), 0.0);
    EXPECT_EQ(late.at("write_seconds").at("p95"), 0.0);
    EXPECT_EQ(late.at("ready_seconds").at("p95"), 90.0);
    EXPECT_EQ(late.at("below_seconds").at("p50"), 90.0);
    EXPECT_EQ(late.at("cause_minutes"), json({{"startup", 1.5}}));
    EXPECT_EQ(late.at("longest").at(0).at("cause"), "startup");
    EXPECT_EQ(late.at("longest").at(0).at("time_ms"), scene::start_ms + 40 * scene::step_ms);
}

TEST(Lateness, OfANode) {
    const json late = lateness_of(ten_each(), R"({"initial_replicas":3,"startup_ms":[90000],"node_ms":60000})");
    EXPECT_EQ(late.at("cause_minutes"), json({{"node", 1.0}, {"startup", 0.5}}));
}

// The last low proposal, 15 s before the rise, holds the size for 60 s.
TEST(Lateness, OfTheStabilizationWindow) {
    const json late =
        lateness_of(ten_each(), R"({"initial_replicas":3,"startup_ms":[30000],"set":{"up_window_s":60}})");
    EXPECT_EQ(late.at("decision_seconds").at("p50"), 45.0);
    EXPECT_EQ(late.at("ready_seconds").at("p50"), 75.0);
    EXPECT_EQ(late.at("cause_minutes"), json({{"stabilization", 0.75}, {"startup", 0.5}}));
}

// One pod a minute: 4 at once, 5 after a minute, 6 after two; each starts at once.
TEST(Lateness, OfTheRateLimit) {
    const json late = lateness_of(
        ten_each(), R"({"initial_replicas":3,"startup_ms":[15000],"set":{"up_pods":1,"policy_period_s":60}})");
    EXPECT_EQ(late.at("rises"), 1);
    EXPECT_EQ(late.at("below_seconds").at("max"), 135.0);
    EXPECT_GT(late.at("cause_minutes").at("rate_limit"), 1.4);
}

TEST(Lateness, AtTheMaximumItDoesNotEnd) {
    const json late = lateness_of(ten_each(4), R"({"initial_replicas":3,"startup_ms":[30000]})");
    EXPECT_EQ(late.at("unfinished"), 1);
    EXPECT_EQ(late.at("longest").at(0).at("is_below"), false);
    EXPECT_EQ(late.at("longest").at(0).at("cause"), "maximum");
}

// The exporter and the scrape show the load up to 45 s late.
TEST(Lateness, OfTheMetricsAge) {
    replayer of =
        scene::made(scene::scaled_object(60, manifest::target_type::value),
                    *read_settings(R"({"model":"closed","signal":"total","exporter_ms":60000,"startup_ms":[15000]})"));
    std::vector<double> load(40, 30.0);
    load.insert(load.end(), 240, 100.0);
    ASSERT_TRUE(run(of, scene::values(load, 3)));
    const json late = json::parse(report_json(of)).at("summary").at("lateness");
    EXPECT_GT(late.at("cause_minutes").at("metric_age"), 0.0);
    EXPECT_GT(late.at("decision_seconds").at("p50"), 0.0);
}

// A load that was recorded between two decisions waits for the second.
TEST(Lateness, OfPolling) {
    replayer of =
        scene::made(ten_each(), *read_settings(R"({"initial_replicas":3,"startup_ms":[15000],"hold_ms":60000})"));
    sample read;
    read.state = sample_state::ok;
    for (const auto& [at_ms, value] : {std::pair{0, 30.0}, {15'000, 30.0}, {20'000, 60.0}, {120'000, 60.0}}) {
        read.value = value;
        ASSERT_TRUE(of.record(scene::start_ms + at_ms, {&read, 1}));
    }
    of.finish();
    const json late = json::parse(report_json(of)).at("summary").at("lateness");
    EXPECT_EQ(late.at("decision_seconds").at("p50"), 10.0);
    EXPECT_NEAR(late.at("cause_minutes").at("polling").get<double>(), 10.0 / 60, 1e-9);
}

load_look look(std::int64_t time_ms, bool is_above, std::int32_t proposed, std::int32_t replicas, std::int32_t ready) {
    load_look out;
    out.time_ms = out.since_ms = time_ms;
    out.has_load = out.seen_above = true;
    out.is_above = is_above;
    out.proposed = proposed;
    out.desired = out.replicas = replicas;
    out.ready = ready;
    return out;
}

TEST(Lateness, ReplicasThatWereStartingCameInTime) {
    decide::lateness late;
    EXPECT_FALSE(late.add(look(1'000, false, 3, 5, 3)));
    EXPECT_FALSE(late.add(look(2'000, true, 5, 5, 3)));
    EXPECT_FALSE(late.add(look(3'000, false, 5, 5, 5)));
    const auto ended = late.add(look(123'000, false, 5, 5, 5));
    ASSERT_TRUE(ended);
    EXPECT_TRUE(ended->is_below);
    EXPECT_EQ(ended->end_ms, 3'000);
    EXPECT_EQ(ended->decided_ms, 2'000);
    EXPECT_EQ(ended->ready_ms, 3'000);
    EXPECT_EQ(ended->main_cause(), late_cause::startup);
}

TEST(Lateness, AWriteMayComeAfterItsDecision) {
    decide::lateness late;
    EXPECT_FALSE(late.add(look(1'000, false, 3, 3, 3)));
    load_look decided = look(2'000, true, 5, 3, 3);
    decided.desired = 5;
    EXPECT_FALSE(late.add(decided));
    EXPECT_FALSE(late.add(look(4'000, true, 5, 5, 3)));
    EXPECT_FALSE(late.add(look(9'000, false, 5, 5, 5)));
    const auto ended = late.finish(10'000);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->decided_ms, 2'000);
    EXPECT_EQ(ended->written_ms, 4'000);
    EXPECT_EQ(ended->end_ms, 9'000);
}

TEST(Lateness, OneValueBelowTheTargetEndsNoRise) {
    decide::lateness late;
    EXPECT_FALSE(late.add(look(1'000, true, 5, 3, 3)));
    for (std::int64_t at_s = 30; at_s <= 600; at_s += 60) {
        EXPECT_FALSE(late.add(look(at_s * 1'000, false, 3, 3, 3)));
        EXPECT_FALSE(late.add(look((at_s + 30) * 1'000, true, 5, 3, 3)));
    }
    EXPECT_FALSE(late.add(look(700'000, false, 3, 3, 3)));
    const auto ended = late.add(look(820'000, false, 3, 3, 3));
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->lasted_ms(), 699'000);
}

TEST(Lateness, WithoutALoadItEndsUnknown) {
    decide::lateness late;
    EXPECT_FALSE(late.add(look(1'000, true, 5, 3, 3)));
    load_look unknown = look(2'000, false, 5, 3, 3);
    unknown.has_load = false;
    const auto ended = late.add(unknown);
    ASSERT_TRUE(ended);
    EXPECT_FALSE(ended->is_below);
}

TEST(Lateness, EachCauseHasAName) {
    for (std::size_t i = 0; i < decide::late_cause_count; ++i)
        EXPECT_FALSE(decide::late_cause_name(static_cast<late_cause>(i)).empty());
}

TEST(Lateness, ManyRisesNeedLittleMemoryAndKeepTheirQuantiles) {
    rises all;
    for (int i = 0; i < 100'000; ++i) {
        decide::rise rise;
        rise.start_ms = 1'000;
        rise.end_ms = 1'000 + (i % 100 + 1) * 1'000;
        rise.is_below = true;
        all.add(rise);
    }
    json_writer out;
    out.begin_object();
    all.write(out);
    const json late = json::parse(out.end_object().take()).at("lateness");
    EXPECT_EQ(late.at("rises"), 100'000);
    EXPECT_NEAR(late.at("below_seconds").at("p50").get<double>(), 50, 7);
    EXPECT_EQ(late.at("longest").size(), 10U);
}

}  // namespace
}  // namespace gputide::replay
