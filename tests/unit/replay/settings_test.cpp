// Settings from JSON, and what they change in a policy.
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::replay {
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
    const auto after = changed(before, how.change);
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
    EXPECT_FALSE(changed(before, changes{})->scaling.behavior.has_value());
    changes crossed;
    crossed.min = 30;
    EXPECT_EQ(changed(before, crossed).failure().status, status::invalid);
}

}  // namespace
}  // namespace gputide::replay
