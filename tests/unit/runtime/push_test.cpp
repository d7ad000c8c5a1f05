// Samples that the host pushes: what they replace, what they leave, and for which scalers they are refused.
#include "fleet_support.hpp"

#include <gtest/gtest.h>

namespace gputide::runtime {
namespace {

sample value_of(double value) {
    sample out;
    out.state = sample_state::ok;
    out.value = value;
    return out;
}

constexpr char two_pushed[] = R"({"type":"values","metadata":{"threshold":"5"}},
    {"type":"values","name":"queue","metadata":{"threshold":"5"}})";

struct pushing : ::testing::Test {
    static fleet_options every_decision() {
        fleet_options out;
        out.every_decision = true;
        return out;
    }
    decide::decision next_decision() {
        w.run(15'000);
        auto event = w.fleet.take_event();
        EXPECT_TRUE(event);
        return event ? event->decision : decide::decision();
    }
    world w{every_decision()};
};

TEST_F(pushing, a_number_without_a_size) {
    const scaler_id id = w.add_text(pushed("demo"));
    const sample first = value_of(5.0);
    ASSERT_TRUE(w.fleet.push(id, {&first, 1}));
    w.run(60'000);
    EXPECT_EQ(w.fleet.stats().polls, 0U) << "polling begins with a size";
    w.observe(id, 3);
    EXPECT_EQ(next_decision().proposed_replicas, 1) << "ceil(5 / 5)";
    const sample second = value_of(42.5);
    ASSERT_TRUE(w.fleet.push(id, {&second, 1}));
    EXPECT_EQ(next_decision().proposed_replicas, 9) << "ceil(42.5 / 5)";
    w.observe(id, 4);
    const decide::decision third = next_decision();
    EXPECT_EQ(third.current_replicas, 4);
    EXPECT_EQ(third.proposed_replicas, 9) << "an observation without samples keeps what was pushed";
}

TEST_F(pushing, what_is_not_given_stays) {
    const scaler_id id = w.add_text(manifest("demo", two_pushed));
    const sample none;
    const sample both[] = {value_of(42.5), value_of(10.0)};
    ASSERT_TRUE(w.fleet.push(id, both));
    w.observe(id, 3);
    EXPECT_EQ(next_decision().proposed_replicas, 9);
    const sample second_alone[] = {none, value_of(60.0)};
    ASSERT_TRUE(w.fleet.push(id, second_alone));
    EXPECT_EQ(next_decision().proposed_replicas, 12) << "ceil(60 / 5), the larger of the two";
    const sample first_alone[] = {value_of(70.0), none};
    decide::observation observation;
    observation.now_ms = w.wall_ms;
    observation.spec_replicas = 3;
    observation.samples = first_alone;
    ASSERT_TRUE(w.fleet.observe(id, observation));
    EXPECT_EQ(next_decision().proposed_replicas, 14);
    const sample lower[] = {value_of(5.0), none};
    ASSERT_TRUE(w.fleet.push(id, lower));
    EXPECT_EQ(next_decision().proposed_replicas, 12) << "60 of the second metric is still there";
}

TEST_F(pushing, another_manifest_keeps_what_was_pushed) {
    const scaler_id id = w.add_text(pushed("demo"));
    const sample value = value_of(42.5);
    ASSERT_TRUE(w.fleet.push(id, {&value, 1}));
    w.observe(id, 3);
    next_decision();
    ASSERT_TRUE(w.fleet.replace(
        id, world::spec_of(manifest("demo", R"({"type":"values","metadata":{"threshold":"10"}})")), {}));
    EXPECT_EQ(next_decision().proposed_replicas, 5) << "ceil(42.5 / 10)";
}

TEST_F(pushing, a_trigger_with_a_source_of_its_own_takes_none) {
    w.answer(42.5);
    const scaler_id id = w.add_text(manifest(
        "demo", prometheus("http://127.0.0.1:9090", "up") + R"(,{"type":"values","metadata":{"threshold":"5"}})"));
    const sample none;
    const sample both[] = {value_of(1.0), value_of(2.0)};
    auto refused = w.fleet.push(id, both);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.failure().status, status::invalid);
    EXPECT_NE(refused.failure().message.find("samples[0]"), std::string::npos) << refused.failure().message;
    const sample second_alone[] = {none, value_of(2.0)};
    EXPECT_TRUE(w.fleet.push(id, second_alone));
    decide::observation observation;
    observation.samples = both;
    EXPECT_EQ(w.fleet.observe(id, observation).failure().status, status::invalid);
    EXPECT_EQ(w.fleet.stats().unobserved, 1U) << "a refused observation is none";
}

TEST_F(pushing, counts_that_are_not_the_policys_are_refused) {
    const scaler_id id = w.add_text(pushed("demo"));
    const sample three[] = {value_of(1.0), value_of(2.0), value_of(3.0)};
    EXPECT_EQ(w.fleet.push(id, three).failure().status, status::invalid);
    EXPECT_EQ(w.fleet.push(id, {}).failure().status, status::invalid);
    decide::observation observation;
    observation.samples = three;
    EXPECT_EQ(w.fleet.observe(id, observation).failure().status, status::invalid);
    decide::pod_sample elsewhere;
    elsewhere.metric = 1;
    observation.samples = {};
    observation.pod_samples = {&elsewhere, 1};
    EXPECT_EQ(w.fleet.observe(id, observation).failure().status, status::invalid);
}

TEST_F(pushing, why_there_is_no_number_is_kept_until_there_is_one) {
    const scaler_id id = w.add_text(manifest("demo", two_pushed));
    sample failed;
    failed.state = sample_state::failed;
    failed.status = status::unavailable;
    const sample samples[] = {failed, value_of(5.0)};
    const std::string_view messages[] = {"the exporter is down", ""};
    ASSERT_TRUE(w.fleet.push(id, samples, messages));
    w.observe(id, 3);
    EXPECT_TRUE(next_decision().error);
    const std::string described = *w.fleet.describe(id);
    EXPECT_NE(described.find("the exporter is down"), std::string::npos) << described;
    EXPECT_NE(described.find("\"value\":5"), std::string::npos) << "what was pushed is shown: " << described;
    const sample mended[] = {value_of(1.0), sample()};
    ASSERT_TRUE(w.fleet.push(id, mended));
    EXPECT_FALSE(next_decision().error);
    EXPECT_EQ(w.fleet.describe(id)->find("the exporter is down"), std::string::npos);
}

}  // namespace
}  // namespace gputide::runtime
