// Checks the stages of a rise.
#include "runtime/fleet/lateness.hpp"

#include <gtest/gtest.h>

#include <string>

using namespace gputide;  // NOLINT: a test

namespace {

using runtime::lateness;
using runtime::rise;
using runtime::rise_stage;

constexpr std::int64_t began_ms = 1'700'000'000'000;

decide::decision deciding(std::int32_t current, std::int32_t proposed, std::int32_t desired) {
    decide::decision out;
    out.current_replicas = current;
    out.proposed_replicas = proposed;
    out.desired_replicas = desired;
    out.limited_by = decide::limit::none;
    return out;
}

std::string text_of(const lateness& of) {
    json_writer json;
    of.write(json);
    return json.take();
}

TEST(Lateness, CountsEachStageFromTheSample) {
    lateness all;
    rise load;
    all.decided(load, deciding(1, 3, 3), began_ms, began_ms + 2'000);  // the sample was 2 s old
    all.written(load, began_ms + 2'500);
    all.observed(load, 2, began_ms + 40'000);  // not yet
    all.observed(load, 3, began_ms + 60'000);
    all.decided(load, deciding(3, 3, 3), began_ms + 61'000, began_ms + 62'000);
    EXPECT_EQ(load.took(rise_stage::decision), 2'000);
    EXPECT_EQ(load.took(rise_stage::write), 2'500);
    EXPECT_EQ(load.took(rise_stage::ready), 60'000);
    EXPECT_EQ(load.took(rise_stage::below), 62'000);
    EXPECT_FALSE(load.is_open);
    EXPECT_NE(text_of(all).find("{\"rises\":1,\"decision_ms\":{\"count\":1,\"sum\":2000,"), std::string::npos)
        << text_of(all);
}

TEST(Lateness, ALoadThatTheMaximumHoldsBackStaysAbove) {
    lateness all;
    rise load;
    all.decided(load, deciding(5, 9, 5), began_ms, began_ms);
    all.decided(load, deciding(5, 9, 5), began_ms + 15'000, began_ms + 15'000);
    EXPECT_TRUE(load.is_open);
    EXPECT_EQ(load.took(rise_stage::decision), rise::not_reached);
    all.decided(load, deciding(5, 4, 5), began_ms + 30'000, began_ms + 30'000);
    EXPECT_EQ(load.took(rise_stage::below), 30'000);
    EXPECT_EQ(load.took(rise_stage::decision), rise::not_reached);
}

TEST(Lateness, APassThatTellsNothingEndsNothing) {
    lateness all;
    rise load;
    all.decided(load, deciding(1, 3, 3), began_ms, began_ms);
    decide::decision blind = deciding(3, 3, 3);
    for (const decide::limit limit : {decide::limit::no_data, decide::limit::not_due}) {
        blind.limited_by = limit;
        all.decided(load, blind, began_ms + 1'000, began_ms + 1'000);
        EXPECT_TRUE(load.is_open);
    }
    all.written(load, began_ms + 2'000);
    all.decided(load, deciding(3, 3, 3), began_ms + 15'000, began_ms + 15'000);
    EXPECT_FALSE(load.is_open);
    all.observed(load, 3, began_ms + 20'000);
    EXPECT_EQ(load.took(rise_stage::ready), rise::not_reached) << "the load had fallen before";
    all.decided(load, deciding(3, 5, 5), began_ms + 60'000, began_ms + 61'000);
    EXPECT_EQ(load.began_ms, began_ms + 60'000) << "a rise of its own";
    EXPECT_NE(text_of(all).find("\"rises\":2"), std::string::npos);
}

TEST(Lateness, APauseDropsTheRise) {
    lateness all;
    rise load;
    all.decided(load, deciding(1, 3, 3), began_ms, began_ms);
    decide::decision paused = deciding(1, 1, 1);
    paused.limited_by = decide::limit::paused;
    all.decided(load, paused, began_ms + 1'000, began_ms + 1'000);
    EXPECT_FALSE(load.is_open);
    EXPECT_EQ(load.began_ms, 0);
    all.decided(load, deciding(1, 1, 1), began_ms + 3'600'000, began_ms + 3'600'000);
    EXPECT_NE(text_of(all).find("\"below_ms\":{\"count\":0"), std::string::npos) << text_of(all);
}

}  // namespace
