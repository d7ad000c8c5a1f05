// Whole replays: the open loop, the closed loop with its lag, gaps, and sums that can be checked by hand.
#include "replay/run.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide::replay {
namespace {

using json = nlohmann::json;

replayer ran(const decide::policy& by, const recording& over, const std::string& how) {
    replayer out = scene::made(by, *read_settings(how));
    const result<void> done = run(out, over);
    EXPECT_TRUE(done) << done.failure().message;
    return out;
}

TEST(OpenLoop, SumsByHand) {
    // 10 minutes of 30 per replica-independent value against 10 each: 3 replicas all the time, 2 GPUs each.
    const auto by = scene::scaled_object(10, manifest::target_type::average_value);
    const replayer of = ran(by, scene::values(std::vector<double>(40, 30.0)),
                            R"({"initial_replicas":3,"set":{"gpus_per_replica":2,"cost_per_gpu_hour":3}})");
    const json report = json::parse(report_json(of)).at("summary");
    EXPECT_EQ(report.at("steps"), 40);
    EXPECT_EQ(report.at("replica_hours"), 0.5);  // 3 replicas, 600 s
    EXPECT_EQ(report.at("gpu_hours"), 1.0);
    EXPECT_EQ(report.at("cost"), 3.0);
    EXPECT_EQ(report.at("minutes_above_target"), 0.0);
    EXPECT_EQ(report.at("scale_ups"), 0);
}

TEST(OpenLoop, TakesTheDecisionsOfDecideItself) {
    const auto by = scene::scaled_object(5, manifest::target_type::average_value);
    const auto load = scene::a_step(4, 80, 20, 20);
    replayer of = scene::made(by, *read_settings(R"({"initial_replicas":1})"));
    decide::state state = decide::make_state(by);
    std::int32_t size = 1;
    for (std::size_t i = 0; i < load.size(); ++i) {
        const std::int64_t now_ms = scene::start_ms + static_cast<std::int64_t>(i) * scene::step_ms;
        sample sample;
        sample.state = sample_state::ok;
        sample.value = load[i];
        sample.time_ms = now_ms;
        ASSERT_TRUE(of.record(now_ms, {&sample, 1}));
        ASSERT_TRUE(of.record(now_ms + 1, {&sample, 1}));  // the step at now_ms runs
        decide::observation seen;
        seen.now_ms = now_ms;
        seen.spec_replicas = size;
        seen.samples = {&sample, 1};
        decide::decision made = decide::decide(by, state, seen);
        decide::record_applied(by, state, made, now_ms);
        size = made.desired_replicas;
        EXPECT_EQ(of.last().now_ms, now_ms);
        EXPECT_EQ(of.last().desired_replicas, made.desired_replicas) << i;
        EXPECT_EQ(of.last().limited_by, made.limited_by) << i;
    }
    EXPECT_GT(of.sums().ups, 0);
}

TEST(OpenLoop, AGapIsNoValue) {
    recording over = scene::values(std::vector<double>(20, 50.0));
    for (int i = 60; i < 80; ++i) ASSERT_TRUE(add_point(over, 0, scene::start_ms + i * scene::step_ms, 50.0));
    ASSERT_TRUE(tidy(over));
    const replayer of = ran(scene::scaled_object(10, manifest::target_type::average_value), over, "{}");
    EXPECT_EQ(of.notes.gaps, 1);
    // 40 steps have no point; a value stands for 1.5 steps.
    EXPECT_EQ(of.sums().ms[without_value], 39 * scene::step_ms);
}

TEST(OpenLoop, EventsSayWhy) {
    const replayer of = ran(scene::scaled_object(10, manifest::target_type::average_value),
                            scene::values(std::vector<double>(20, 95.0)), R"({"initial_replicas":1})");
    ASSERT_FALSE(of.events().empty());
    const event& first = of.events().front();
    EXPECT_EQ(first.before, 1);
    EXPECT_EQ(first.after, 4);  // twice the size or 4
    EXPECT_EQ(first.raw, 10);
    EXPECT_EQ(first.limited_by, decide::limit::scale_up_limit);
    EXPECT_NE(first.reason.find("above target"), std::string::npos) << first.reason;
    EXPECT_NE(first.text.find("s0-prometheus: 95"), std::string::npos) << first.text;
    EXPECT_NE(first.text.find("rate: the limit of this pass is 4"), std::string::npos) << first.text;
}

// A load of 26 * 92.2 = 2,397 against 60: 40 replicas carry it.  The new ones come up one after the other, and each time
// the metric still tells of the moment before: 2,397 / 30 = 79.9 with 31 ready asks for ceil(79.9 / 60 * 31) = 42.
recording a_jump() { return scene::values(scene::a_step(55, 92.2, 80, 240), 26); }

std::string staggered(const std::string& more) {
    std::string out = R"({"model":"closed","initial_replicas":26,"startup_ms":[)";
    for (int s = 100; s <= 1500; s += 10) out += (s > 100 ? "," : "") + std::to_string(s * 1000);
    return out + "]" + more + "}";
}

TEST(ClosedLoop, LagOverscalesAndTheGuardDoesNot) {
    const auto by = scene::scaled_object(60, manifest::target_type::value, 1, 100);
    for (const char* seed : {"1", "2", "3"}) {
        const std::string with = std::string(",\"seed\":") + seed;
        const replayer plain = ran(by, a_jump(), staggered(with));
        const replayer guarded = ran(by, a_jump(), staggered(with + R"(,"set":{"in_flight_guard":true})"));
        EXPECT_GE(plain.sums().peak_replicas, 41) << seed;
        EXPECT_EQ(guarded.sums().peak_replicas, 40) << seed;
        EXPECT_LT(guarded.sums().replica_ms, plain.sums().replica_ms) << seed;
    }
    const replayer at_once = ran(by, a_jump(), R"({"model":"closed","exporter_ms":0,"scrape_ms":0})");
    EXPECT_EQ(at_once.sums().peak_replicas, 40);
}

TEST(ClosedLoop, MarksMinutesOfLowConfidence) {
    const replayer of =
        ran(scene::scaled_object(60), scene::values(scene::a_step(30, 100, 20, 8), 2), R"({"model":"closed"})");
    EXPECT_EQ(of.sums().ms[low_confidence], 8 * scene::step_ms);
    const json report = json::parse(report_json(of));
    EXPECT_EQ(report.at("model").at("name"), "closed");
    EXPECT_NE(report.at("warnings").dump().find("low confidence"), std::string::npos);
}

TEST(ClosedLoop, AQueueHasNoCeiling) {
    const auto by = scene::scaled_object(10);
    const auto over = scene::values(scene::a_step(10, 400, 10, 30), 1);
    const replayer of = ran(by, over, R"({"model":"closed","signal":"queue","exporter_ms":0,"scrape_ms":0})");
    EXPECT_EQ(of.sums().ms[low_confidence], 0);
    EXPECT_EQ(of.sums().peak_replicas, 20);  // 400 / 10, held by max
    EXPECT_EQ(of.above_saturation(), 0);
    const replayer wrong = ran(by, over, R"({"model":"closed"})");
    EXPECT_EQ(wrong.above_saturation(), 30);
}

TEST(ClosedLoop, NeedsToKnowTheRecordedSize) {
    replayer of = scene::made(scene::scaled_object(60), *read_settings(R"({"model":"closed"})"));
    const result<void> done = run(of, scene::values({1, 2, 3}));
    ASSERT_FALSE(done);
    EXPECT_NE(done.failure().message.find("replicas"), std::string::npos);
}

TEST(ClosedLoop, IsTheSameForASeed) {
    const auto by = scene::scaled_object(60, manifest::target_type::value, 1, 100);
    const auto sums = [&](const char* how) { return ran(by, a_jump(), how).sums().replica_ms; };
    const char* const text = R"({"model":"closed","startup_ms":[30000,300000],"seed":5})";
    EXPECT_EQ(sums(text), sums(text));
    EXPECT_NE(sums(text), sums(R"({"model":"closed","startup_ms":[30000,300000],"seed":6})"));
}

TEST(Replay, RefusesBadSeries) {
    const auto by = scene::scaled_object(60);
    replayer entry = scene::made(by);
    EXPECT_EQ(run(entry, scene::values({5})).failure().status, status::no_data);
    recording two = scene::values({5, 6});
    ASSERT_TRUE(merge(two, scene::values({5, 6}), 1));
    ASSERT_TRUE(tidy(two));
    replayer other = scene::made(by);
    EXPECT_NE(run(other, two).failure().message.find("2 metrics"), std::string::npos);
    replayer back = scene::made(by);
    const sample value;
    ASSERT_TRUE(back.record(5000, {&value, 1}));
    EXPECT_EQ(back.record(4999, {&value, 1}).failure().status, status::invalid);
    EXPECT_EQ(back.record(5000, {}).failure().status, status::invalid);
    EXPECT_EQ(back.record(latest_ms, {&value, 1}).failure().status, status::limit);
    back.finish();
    EXPECT_EQ(back.record(6000, {&value, 1}).failure().status, status::state);
}

TEST(Replay, GivesEachPodTheMean) {
    decide::policy by = scene::scaled_object(60);
    by.metrics[0].kind = decide::metric_kind::pods;
    by.metrics[0].type = manifest::target_type::average_value;
    const replayer of = ran(by, scene::values(std::vector<double>(8, 90.0), 4), "{}");
    ASSERT_FALSE(of.events().empty());
    EXPECT_EQ(of.events()[0].raw, 6);  // 90 / 60 * 4
    EXPECT_EQ(of.events()[0].value, 90.0);
    EXPECT_GT(of.sums().ms[above], 0) << "60 is one pod's target, not a quarter of it";
}

TEST(Replay, CountsPodsThatStartAsTheHpaDoes) {
    decide::policy by = scene::scaled_object(0, manifest::target_type::utilization);
    by.metrics[0].kind = decide::metric_kind::resource;
    by.metrics[0].name = "cpu";
    by.metrics[0].utilization_pct = 60;
    by.metrics[0].decides_activity = false;
    const replayer of = ran(by, scene::values(std::vector<double>(8, 90.0), 4), R"({"startup_ms":[600000]})");
    ASSERT_EQ(of.events().size(), 1U) << "the two that start count as idle: 4 * 90 over 6 is at the target";
    EXPECT_EQ(of.events()[0].after, 6);
}

TEST(Replay, VerifiesNoMetricsOfPods) {
    decide::policy by = scene::scaled_object(60);
    by.metrics[0].kind = decide::metric_kind::pods;
    settings how;
    how.verify = true;
    const auto made = replayer::make(by, how, scene::null_is_zero());
    ASSERT_FALSE(made);
    EXPECT_NE(made.failure().message.find("per-pod metrics"), std::string::npos);
}

TEST(Replay, CountsFlaps) {
    std::vector<double> load;
    for (int i = 0; i < 10; ++i) load.insert(load.end(), 12, i % 2 == 0 ? 10.0 : 50.0);
    const replayer of = ran(scene::scaled_object(10, manifest::target_type::average_value), scene::values(load),
                            R"({"set":{"down_window_s":0}})");
    EXPECT_GE(of.sums().flaps, 8);
}

TEST(Replay, WarnsOfASleepWithoutEnd) {
    decide::policy by = scene::scaled_object(60, manifest::target_type::value, 0);
    by.scaling.cooldown_s = 60;
    const replayer of = ran(by, scene::values(scene::a_step(0, 50, 40, 40), 2), R"({"model":"closed"})");
    EXPECT_EQ(of.sums().last_replicas, 0);
    EXPECT_NE(report_json(of).find("it cannot scale up again"), std::string::npos);
}

}  // namespace
}  // namespace gputide::replay
