// The decisions of a log, taken again.
#include "base/time.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "replay/recording.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::replay {
namespace {

std::string write_line(const decide::policy& by, const decide::decision& made, std::int64_t written_ms) {
    return R"({"time":")" + format_rfc3339_ms(written_ms) + R"(","namespace":")" + by.scaling.name_space +
           R"(","name":")" + by.scaling.name + R"(","write":{"replicas":)" + std::to_string(made.desired_replicas) +
           ",\"applied\":true}}\n";
}

// What gputided run would have written: ticks with a drift of some milliseconds, decisions applied write_ms later.
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
        sample one;
        one.state = i == 9 ? sample_state::timeout : sample_state::ok;
        one.status = i == 9 ? status::timeout : status::ok;
        one.value = i == 9 ? 0.0 : load[i];
        seen.samples = {&one, 1};
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
    by.scaling.behavior = decide::default_behavior(by);
    by.scaling.behavior->up.policies = {{config::policy_type::pods, 2, 15}};
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
}  // namespace gputide::replay
