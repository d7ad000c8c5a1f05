// Checks the stages and causes of a rise.
#include "runtime/fleet/stats.hpp"

#include <gtest/gtest.h>

#include <string>

using namespace gputide;  // NOLINT: a test

namespace {

using runtime::lateness;
using runtime::scaler_lateness;

constexpr std::int64_t began_ms = 1'700'000'000'000;
constexpr std::int64_t calm_ms = decide::lateness::calm_ms;

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

std::string rise_of(const scaler_lateness& of) {
    json_writer json;
    json.begin_object();
    write_rise(json, of);
    return json.end_object().take();
}

TEST(Lateness, CountsEachStageFromTheSample) {
    lateness all;
    scaler_lateness load;
    all.observed(load, 1, began_ms - 1'000);
    all.decided(load, deciding(1, 3, 3), began_ms, began_ms + 2'000);  // the sample was 2 s old
    all.written(load, began_ms + 2'500);
    all.observed(load, 2, began_ms + 40'000);  // not yet
    EXPECT_EQ(
        rise_of(load),
        R"({"rise":{"began_ms":1700000000000,"open":true,"decision_ms":2000,"write_ms":2500,"cause":"startup"}})");
    all.observed(load, 3, began_ms + 60'000);
    const char* ended =
        R"({"rise":{"began_ms":1700000000000,"open":false,"decision_ms":2000,"write_ms":2500,"ready_ms":60000,"below_ms":60000,"cause":"startup"}})";
    EXPECT_EQ(rise_of(load), ended);
    all.decided(load, deciding(3, 3, 3), began_ms + 61'000, began_ms + 62'000);
    all.decided(load, deciding(3, 3, 3), began_ms + 60'000 + calm_ms, began_ms + 60'000 + calm_ms);
    EXPECT_EQ(rise_of(load), ended);
    EXPECT_NE(text_of(all).find(R"({"rises":1,"decision_ms":{"count":1,"sum":2000,)"), std::string::npos)
        << text_of(all);
    EXPECT_NE(text_of(all).find(R"("cause_ms":{"polling":2500,"startup":57500})"), std::string::npos) << text_of(all);
}

TEST(Lateness, ALoadThatTheMaximumLimitsStaysAbove) {
    lateness all;
    scaler_lateness load;
    decide::decision limited = deciding(5, 9, 5);
    limited.limited_by = decide::limit::max;
    all.decided(load, limited, began_ms, began_ms);
    all.decided(load, limited, began_ms + 15'000, began_ms + 15'000);
    EXPECT_EQ(rise_of(load), R"({"rise":{"began_ms":1700000000000,"open":true,"cause":"maximum"}})");
    all.decided(load, deciding(5, 4, 5), began_ms + 30'000, began_ms + 30'000);
    EXPECT_EQ(rise_of(load), R"({"rise":{"began_ms":1700000000000,"open":false,"below_ms":30000,"cause":"maximum"}})");
}

// A window keeps the size up after the load has fallen: the pods that still start are not late.
TEST(Lateness, AFallenLoadIsNotAboveWhilePodsStart) {
    lateness all;
    scaler_lateness load;
    all.observed(load, 1, began_ms - 1'000);
    all.decided(load, deciding(1, 3, 3), began_ms, began_ms);
    all.written(load, began_ms + 1'000);
    all.decided(load, deciding(3, 1, 3), began_ms + 15'000, began_ms + 15'000);
    EXPECT_NE(rise_of(load).find(R"("open":false)"), std::string::npos) << rise_of(load);
    EXPECT_NE(rise_of(load).find(R"("below_ms":15000)"), std::string::npos) << rise_of(load);
}

TEST(Lateness, APassWithoutAValueEndsNothing) {
    lateness all;
    scaler_lateness load;
    all.decided(load, deciding(1, 3, 3), began_ms, began_ms);
    decide::decision blind = deciding(3, 3, 3);
    for (const decide::limit limit : {decide::limit::no_data, decide::limit::not_due}) {
        blind.limited_by = limit;
        all.decided(load, blind, began_ms + 1'000, began_ms + 1'000);
        EXPECT_NE(rise_of(load).find("\"open\":true"), std::string::npos);
    }
}

// A single low value of a noisy series does not split a rise, as in a replay.
TEST(Lateness, ALoadThatFallsForAMomentIsOneRise) {
    lateness all;
    scaler_lateness load;
    all.decided(load, deciding(1, 3, 1), began_ms, began_ms);
    all.decided(load, deciding(1, 1, 1), began_ms + 15'000, began_ms + 15'000);
    all.decided(load, deciding(1, 3, 1), began_ms + 30'000, began_ms + 30'000);
    EXPECT_NE(text_of(all).find("\"rises\":1"), std::string::npos);
    all.decided(load, deciding(1, 1, 1), began_ms + 45'000, began_ms + 45'000);
    all.decided(load, deciding(1, 1, 1), began_ms + 45'000 + calm_ms, began_ms + 45'000 + calm_ms);
    all.decided(load, deciding(1, 3, 1), began_ms + 300'000, began_ms + 301'000);
    EXPECT_NE(text_of(all).find("\"rises\":2"), std::string::npos);
    EXPECT_EQ(rise_of(load), R"({"rise":{"began_ms":1700000300000,"open":true,"cause":"polling"}})");
}

TEST(Lateness, APauseDropsTheRise) {
    lateness all;
    scaler_lateness load;
    all.decided(load, deciding(1, 3, 3), began_ms, began_ms);
    decide::decision paused = deciding(1, 1, 1);
    paused.limited_by = decide::limit::paused;
    all.decided(load, paused, began_ms + 1'000, began_ms + 1'000);
    EXPECT_EQ(rise_of(load), "{}");
    all.decided(load, deciding(1, 1, 1), began_ms + 3'600'000, began_ms + 3'600'000);
    EXPECT_NE(text_of(all).find("\"below_ms\":{\"count\":0"), std::string::npos) << text_of(all);
}

}  // namespace
