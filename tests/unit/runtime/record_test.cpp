// Tests which records a fleet takes: of writes that its events asked for, each once, the newest last.
#include "fleet_support.hpp"

#include <gtest/gtest.h>

namespace gputide::runtime {
namespace {

struct recording : ::testing::Test {
    recording() {
        w.answer(42.5);
        id = w.add("demo");
        w.observe(id, 3);
    }
    decide::decision next_write() {
        w.run(15'000);
        auto event = w.fleet.take_event();
        EXPECT_TRUE(event);
        return event ? event->decision : decide::decision();
    }
    status record(decide::decision& decision, bool applied = true) {
        const auto done = w.fleet.record(id, decision, applied, w.wall_ms);
        return done ? status::ok : done.failure().status;
    }
    world w;
    scaler_id id = 0;
};

TEST_F(recording, once) {
    decide::decision decision = next_write();
    decide::decision again = decision;
    EXPECT_EQ(record(decision), status::ok);
    const std::string state = *w.fleet.save(id);
    EXPECT_EQ(record(again), status::state);
    EXPECT_EQ(record(decision), status::state) << "nor as it came back from the first record";
    EXPECT_EQ(*w.fleet.save(id), state) << "a refused record changes nothing";
}

// 4 pods each 15 s, passes each 15 s: as many as the HPA adds.  A write that took long counts from its end.
TEST(Recording, AWriteThatWasPromptLeavesTheNextPassItsFourPods) {
    const auto sizes = [](std::int64_t write_ms) {
        world w;
        w.answer(100.0);
        std::string text = manifest("paced", prometheus("http://127.0.0.1:9090", "up"));
        text.insert(text.find("\"spec\":{") + 8,
                    R"("advanced":{"horizontalPodAutoscalerConfig":{"behavior":{"scaleUp":{"policies":)"
                    R"([{"type":"Pods","value":4,"periodSeconds":15}]}}}},)");
        const scaler_id id = w.add_text(text);
        w.observe(id, 1);
        std::vector<std::int32_t> out;
        for (std::int64_t left_ms = 60'000; left_ms > 0; left_ms -= 500) {
            w.run(500);
            auto event = w.fleet.take_event();
            if (!event || event->decision.desired_replicas == event->decision.current_replicas) continue;
            w.run(write_ms);
            left_ms -= write_ms;
            out.push_back(event->decision.desired_replicas);
            EXPECT_TRUE(w.fleet.record(id, event->decision, true, w.wall_ms));
        }
        return out;
    };
    EXPECT_EQ(sizes(200), (std::vector<std::int32_t>{5, 9, 13, 17}));
    EXPECT_EQ(sizes(7'000), (std::vector<std::int32_t>{5, 9})) << "each second pass";
}

TEST_F(recording, no_decision_that_nobody_handed_out) {
    decide::decision decision = next_write();
    decide::decision other = decision;
    other.desired_replicas += 1;
    EXPECT_EQ(record(other), status::state);
    other = decision;
    ++other.id;
    EXPECT_EQ(record(other), status::state);
    EXPECT_EQ(record(decision, false), status::ok) << "the true one can still be recorded";
}

TEST_F(recording, a_decision_that_wants_no_write_needs_none_and_minds_none) {
    w.observe(id, 9);  // what 42.5 / 5 comes to
    decide::decision decision = next_write();
    ASSERT_EQ(decision.desired_replicas, decision.current_replicas);
    const std::string state = *w.fleet.save(id);
    EXPECT_EQ(record(decision), status::ok);
    EXPECT_EQ(*w.fleet.save(id), state);
}

TEST_F(recording, not_before_the_event_is_taken) {
    w.run(15'000);
    auto event = w.fleet.take_event();
    ASSERT_TRUE(event);
    w.fleet.put_back(*event);
    EXPECT_EQ(record(event->decision), status::state);
    event = w.fleet.take_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(record(event->decision), status::ok);
}

TEST_F(recording, an_older_event_while_a_newer_one_is_being_written) {
    decide::decision first = next_write();
    decide::decision second = next_write();
    EXPECT_EQ(record(first), status::ok);
    EXPECT_EQ(record(second), status::ok);
}

TEST_F(recording, a_newer_record_settles_the_older_ones) {
    decide::decision first = next_write();
    decide::decision second = next_write();
    EXPECT_EQ(record(second), status::ok);
    EXPECT_EQ(record(first), status::state);
}

TEST_F(recording, a_host_that_does_not_record_keeps_the_last_four) {
    std::vector<decide::decision> decisions;
    for (int i = 0; i < 6; ++i) decisions.push_back(next_write());
    EXPECT_EQ(record(decisions[1]), status::state);
    for (const std::size_t kept : {2U, 3U, 4U, 5U}) EXPECT_EQ(record(decisions[kept]), status::ok) << kept;
}

TEST_F(recording, across_another_manifest) {
    decide::decision decision = next_write();
    ASSERT_TRUE(w.fleet.replace(id, w.spec("demo", 50), {}));
    decide::decision again = decision;
    EXPECT_EQ(record(decision), status::ok) << "the write was under way while the manifest changed";
    EXPECT_EQ(record(again), status::state);
}

// A crash cuts a write off: the next process has the state and knows the decision by what it kept of it.
TEST_F(recording, across_a_restart_where_the_saved_state_knows_the_decision) {
    const std::string before = *w.fleet.save(id);
    decide::decision decision = next_write();
    const std::string after = *w.fleet.save(id);
    ASSERT_TRUE(w.fleet.load(id, before));
    EXPECT_EQ(record(decision), status::state) << "this state has not made it";
    ASSERT_TRUE(w.fleet.load(id, after));
    decide::decision again = decision;
    EXPECT_EQ(record(decision), status::ok);
    EXPECT_EQ(record(again), status::state);
}

TEST_F(recording, not_of_a_scaler_that_took_the_place) {
    decide::decision decision = next_write();
    ASSERT_TRUE(w.fleet.remove(id));
    EXPECT_EQ(record(decision), status::not_found);
    id = w.add("demo");
    EXPECT_EQ(record(decision), status::state);
}

}  // namespace
}  // namespace gputide::runtime
