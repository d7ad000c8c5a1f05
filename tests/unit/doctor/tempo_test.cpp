// Tests how often new numbers come, from a series' past or a page; and what step `age` makes of that.
#include "doctor/examine.hpp"
#include "doctor/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace gputide::doctor {
namespace {

// Points 15 s apart from one target; the value moves where the text has an x.
source::series past(const std::string& moves, const std::string& instance = "", std::int64_t step_ms = 15'000) {
    source::series out;
    out.labels = {{"instance", instance}};
    double value = 40.0;
    for (const char each : moves) {
        if (each == 'x') value += 1.0;
        out.points.push_back({1'000'000 + static_cast<std::int64_t>(out.points.size()) * step_ms, value});
    }
    return out;
}

const std::string slow = ".x.x.x.x.x.x.x.x.x.x";  // collected every 30 s, scraped every 15

TEST(Tempo, EvenGapsAreASlowCollector) {
    const tempo found = measure({past(slow)});
    EXPECT_EQ(found.pace, pace::slow);
    EXPECT_EQ(found.scrape_ms, 15'000);
    EXPECT_EQ(found.renew_ms, 30'000);
    EXPECT_EQ(measure({past("..x...x...x...x...x.")}).renew_ms, 60'000);
    EXPECT_EQ(measure({past("..x..x...x..x..x...x")}).renew_ms, 45'000);  // 50 s
}

TEST(Tempo, AFlatSeriesTellsNothing) {
    EXPECT_EQ(measure({past("....................")}).pace, pace::unclear);
    EXPECT_EQ(measure({past("........x...........")}).pace, pace::unclear);
    EXPECT_EQ(measure({past("x..")}).pace, pace::unclear);
    EXPECT_EQ(measure({}).pace, pace::unclear);
    EXPECT_EQ(tempo().pace, pace::unknown);
}

TEST(Tempo, ASparseSeriesTellsNothing) {
    EXPECT_EQ(measure({past("...x.x.....x......x.")}).pace, pace::unclear) << "gaps of 30 to 105 s";
    EXPECT_EQ(measure({past("...x.x.x.x..........")}).pace, pace::unclear) << "three gaps are too few";
    EXPECT_EQ(measure({past("...x.x.x.x..........")}).renew_ms, 0);
}

TEST(Tempo, TwoChangesWithinAScrapeAreQuick) {
    EXPECT_EQ(measure({past("x..........xx.......")}).pace, pace::quick);
    EXPECT_EQ(measure({past(slow + "xx")}).pace, pace::quick) << "however even the others are";
}

TEST(Tempo, WhatOneTargetServesIsCollectedTogether) {
    const std::string other = "x.x.x.x.x.x.x.x.x.x.";
    EXPECT_EQ(measure({past(slow, "a"), past(other, "a")}).pace, pace::quick);
    EXPECT_EQ(measure({past(slow, "a"), past(other, "b")}).pace, pace::slow) << "two that collect in turn";
    EXPECT_EQ(measure({past(slow, "a"), past(slow, "a")}).pace, pace::slow);
}

TEST(Tempo, AQuickTargetDecides) {
    const tempo found = measure({past(slow, "a"), past("xxxxxxxxxxxxxxxxxxxx", "b")});
    EXPECT_EQ(found.pace, pace::quick);
    EXPECT_EQ(found.renew_ms, 0);
    EXPECT_EQ(measure({past(slow, "a"), past("....................", "b")}).pace, pace::slow);
}

TEST(Tempo, RenewalsEveryFewSecondsAreQuickEnough) {
    EXPECT_EQ(measure({past("...x...x...x...x...x", "", 1'000)}).pace, pace::quick);
}

// The demo's power draw has three values, scraped every 2 s: alike twice or thrice, and under load a scrape fails.
TEST(Tempo, ASteadyLoadIsNoSlowCollector) {
    EXPECT_NE(measure({past("x..x..x.x..x...x..x", "", 2'000)}).pace, pace::slow);
    EXPECT_NE(measure({past("x..x....x..x", "", 2'000)}).pace, pace::slow);
}

TEST(Tempo, NotANumberStandsStill) {
    source::series nothing = past(slow);
    for (source::point& point : nothing.points) point.value = std::nan("");
    EXPECT_EQ(measure({nothing}).pace, pace::unclear);
}

TEST(Tempo, APageIsSlowWhereItsEnergyStandsStill) {
    const std::string draw = "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 57.250000\n";
    const std::string energy = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\"} ";
    EXPECT_EQ(pace_between(draw + energy + "1000\n", draw + energy + "1000\r\n"), pace::slow);
    EXPECT_EQ(pace_between(draw + energy + "1000\n", energy + "1031\n" + draw), pace::quick);
    EXPECT_EQ(pace_between(draw, draw), pace::unclear) << "an idle GPU may draw the same for seconds";
    EXPECT_EQ(pace_between(draw + energy + "0\n", draw + energy + "0\n"), pace::unclear) << "a virtual GPU's counter";
    EXPECT_EQ(pace_between("DCGM_FI_DEV_GPU_UTIL 0\n", "DCGM_FI_DEV_GPU_UTIL 0\n"), pace::unclear);
}

TEST(Tempo, AlwaysNeedsAMinuteOfIt) {
    source::series full = past(".....");
    for (source::point& point : full.points) point.value = 100.0;
    EXPECT_TRUE(always({full}, 100.0));
    full.points.pop_back();
    EXPECT_FALSE(always({full}, 100.0));
    EXPECT_FALSE(always({}, 100.0));
}

evidence read_at(std::int64_t age_ms) {
    evidence out;
    out.fetched.sample.state = sample_state::ok;
    out.now_ms = 1'000'000;
    out.behind.oldest_ms = out.now_ms - age_ms;
    return out;
}

TEST(Age, OldSamplesAreDoubtedOrRefused) {
    EXPECT_EQ(judge_age(read_at(12'000)).verdict, verdict::ok);
    evidence seen = read_at(61'000);
    EXPECT_EQ(judge_age(seen).verdict, verdict::warning);
    seen.fetched.sample.state = sample_state::stale;
    EXPECT_EQ(judge_age(seen).verdict, verdict::failed);
}

TEST(Age, RepeatedSamplesAreDoubted) {
    evidence seen = read_at(12'000);
    seen.behind.tempo = measure({past(slow)});
    EXPECT_EQ(judge_age(seen).verdict, verdict::warning);
    EXPECT_EQ(judge_age(seen).fix.find("-c 1000"), std::string::npos);
    seen.behind.metric = "DCGM_FI_DEV_GPU_UTIL";
    EXPECT_NE(judge_age(seen).fix.find("-c 1000"), std::string::npos);
}

TEST(Age, WhatCannotBeToldIsSaidAndNoFault) {
    evidence seen = read_at(12'000);
    EXPECT_EQ(judge_age(seen).seen, "the oldest sample is 12 s old");
    seen.behind.tempo = measure({past("....................")});
    EXPECT_EQ(judge_age(seen).verdict, verdict::ok);
    EXPECT_EQ(judge_age(seen).seen,
              "the oldest sample is 12 s old; too few changes to tell how often new values arrive");
}

}  // namespace
}  // namespace gputide::doctor
