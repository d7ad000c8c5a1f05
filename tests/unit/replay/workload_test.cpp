// Replicas that take their time.
#include "replay/workload.hpp"

#include "replay/summary.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::replay {

namespace {

TEST(Workload, ServesAfterItsStartUp) {
    const std::vector<std::int64_t> startup_ms{60'000};
    workload of(startup_ms, 1, 2);
    of.resize(5, 0);
    EXPECT_EQ(of.replicas(), 5);
    EXPECT_EQ(of.ready(59'999), 2);
    EXPECT_EQ(of.ready(60'000), 5);
}

TEST(Workload, StopsFirstWhatIsNotReady) {
    const std::vector<std::int64_t> startup_ms{60'000};
    workload of(startup_ms, 1, 2);
    of.resize(5, 0);
    of.resize(3, 10'000);
    EXPECT_EQ(of.ready(10'000), 2);
    EXPECT_EQ(of.replicas(), 3);
    of.resize(1, 20'000);
    EXPECT_EQ(of.ready(20'000), 1);
    EXPECT_EQ(of.ready(90'000), 1);
}

TEST(Workload, WithoutFiguresServesAtOnce) {
    workload of({}, 1, 0);
    of.resize(7, 0);
    EXPECT_EQ(of.ready(0), 7);
}

TEST(Workload, DrawsTheSameForASeed) {
    const std::vector<std::int64_t> startup_ms{1'000, 50'000, 100'000};
    const auto curve = [&](std::uint64_t seed) {
        workload of(startup_ms, seed, 0);
        of.resize(40, 0);
        return std::vector<std::int32_t>{of.ready(1'000), of.ready(50'000), of.ready(100'000)};
    };
    EXPECT_EQ(curve(7), curve(7));
    EXPECT_NE(curve(7), curve(8));
    EXPECT_EQ(curve(7).back(), 40);
}

TEST(Workload, AHugeJumpNeedsLittleMemory) {
    const std::vector<std::int64_t> startup_ms{1'000, 2'000};
    workload of(startup_ms, 1, 0);
    for (int i = 0; i < 50; ++i) {
        of.resize(2'147'483'647, 0);
        of.resize(1'000'000'000, 0);
    }
    EXPECT_EQ(of.replicas(), 1'000'000'000);
    EXPECT_EQ(of.ready(2'000), 1'000'000'000);
}

}  // namespace

namespace {

step at(std::int64_t i, double value) {
    step out;
    out.time_ms = i * 15'000;
    out.value = value;
    out.has_value = true;
    out.replicas = out.raw = out.ready = static_cast<std::int32_t>(value);
    return out;
}

TEST(Chart, KeepsEveryPeak) {
    for (const std::int64_t steps : {1, 99, 100, 101, 5'760, 100'003}) {
        chart of(100);
        for (std::int64_t i = 0; i < steps; ++i) of.add(at(i, i == steps / 2 ? 1000.0 : static_cast<double>(i % 7)));
        EXPECT_LE(of.points().size(), 100U);
        double peak = 0;
        for (std::size_t i = 0; i < of.points().size(); ++i) {
            peak = std::max(peak, of.points()[i].value_high);
            if (i > 0) {
                EXPECT_GT(of.points()[i].time_ms, of.points()[i - 1].time_ms);
            }
        }
        EXPECT_EQ(peak, 1000.0) << steps;
        if (steps > 200) {
            EXPECT_GE(of.points().size(), 50U) << steps;
        }
    }
}

TEST(Chart, OfNoPointsKeepsNone) {
    chart of(0);
    of.add(at(0, 1));
    EXPECT_TRUE(of.points().empty());
}

}  // namespace

namespace {

TEST(Settings, DefaultsFollowTheModel) {
    EXPECT_EQ(read_settings("")->model, model::open);
    EXPECT_FALSE(read_settings("{}")->lag.has_value());
    const settings closed = *read_settings(R"({"scrape_ms":5000,"model":"closed"})");
    ASSERT_TRUE(closed.lag.has_value());
    EXPECT_EQ(closed.lag->exporter_ms, closed_loop_hops.exporter_ms);
    EXPECT_EQ(closed.lag->scrape_ms, 5000);
    EXPECT_EQ(scene::made(scene::scaled_object(60), *read_settings(R"({"model":"closed"})")).lag().scrape_ms, 15'000);
    EXPECT_EQ(scene::made(scene::scaled_object(60)).lag().scrape_ms, 0);
}

TEST(Settings, NamesWhatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"[]", "JSON object"},
        {R"({"modle":"open"})", "modle"},
        {R"({"model":"half"})", "open or closed"},
        {R"({"startup_ms":[-1]})", "startup_ms"},
        {R"({"startup_ms":60})", "list"},
        {R"({"seed":1.5})", "whole number"},
        {R"({"signal":["queue",3]})", "utilization, queue or total"},
        {R"({"set":{"treshold":1}})", "treshold"},
        {R"({"set":{"threshold":0}})", "threshold"},
        {R"({"set":3})", "object"},
        {R"({"hold_ms":1e99})", "hold_ms"}};
    for (const auto& [text, said] : cases) {
        const auto read = read_settings(text);
        ASSERT_FALSE(read) << text;
        const std::string all = read.failure().where.text() + " " + read.failure().message;
        EXPECT_NE(all.find(said), std::string::npos) << all;
    }
}

TEST(Changes, AreThoseOfAManifest) {
    const decide::policy before = scene::scaled_object(60);
    const settings how = *read_settings(
        R"({"set":{"threshold":75.5,"min":2,"max":9,"tolerance":0.2,"down_window_s":60,"up_pods":3,"policy_period_s":30}})");
    const auto after = changed(before, how.changes);
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(after->metrics[0].target_milli, 75'500);
    EXPECT_EQ(after->scaling.hpa_min(), 2);
    EXPECT_EQ(after->scaling.max, 9);
    ASSERT_TRUE(after->scaling.behavior.has_value());
    EXPECT_EQ(after->scaling.behavior->down.window_s, 60);
    EXPECT_EQ(after->scaling.behavior->down.policies.at(0).period_s, 30);
    ASSERT_EQ(after->scaling.behavior->up.policies.size(), 1U);
    EXPECT_EQ(after->scaling.behavior->up.policies[0].value, 3);
    EXPECT_EQ(after->scaling.behavior->up.tolerance, 0.2);
    EXPECT_FALSE(changed(before, {})->scaling.behavior.has_value());
    EXPECT_EQ(changed(before, read_settings(R"({"set":{"min":30}})")->changes).failure().status, status::invalid);
}

}  // namespace

}  // namespace gputide::replay
