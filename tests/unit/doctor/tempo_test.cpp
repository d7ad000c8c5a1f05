// How often new numbers come, from a series' past.
#include "doctor/tempo.hpp"

#include "doctor/age.hpp"

#include <gtest/gtest.h>

namespace gputide::doctor {
namespace {

// `count` points, `step_ms` apart, whose value changes with each `per`-th.
source::series past(std::int64_t step_ms, int count, int per) {
    source::series out;
    for (int i = 0; i < count; ++i) out.points.push_back({i * step_ms, static_cast<double>(i / per)});
    return out;
}

TEST(Tempo, CountsScrapesAndRenewals) {
    const tempo found = measure({past(15'000, 20, 2)});
    EXPECT_EQ(found.scrape_ms, 15'000);
    EXPECT_EQ(found.renew_ms, 30'000);
    EXPECT_TRUE(repeats(found));
}

TEST(Tempo, TheLiveliestSeriesDecides) { EXPECT_FALSE(repeats(measure({past(15'000, 20, 4), past(15'000, 20, 1)}))); }

TEST(Tempo, AFlatSeriesTellsNothing) {
    const tempo found = measure({past(15'000, 20, 100)});
    EXPECT_EQ(found.renew_ms, 0);
    EXPECT_FALSE(repeats(found));
    EXPECT_FALSE(repeats(measure({})));
}

TEST(Tempo, RenewalsEveryFewSecondsAreQuickEnough) { EXPECT_FALSE(repeats(measure({past(1'000, 60, 4)}))); }

TEST(Tempo, AlwaysNeedsAMinuteOfIt) {
    source::series full = past(15'000, 5, 100);
    for (source::point& one : full.points) one.value = 100.0;
    EXPECT_TRUE(always({full}, 100.0));
    full.points.pop_back();
    EXPECT_FALSE(always({full}, 100.0));
    EXPECT_FALSE(always({}, 100.0));
}

TEST(Age, OldAndRepeatedSamplesAreDoubted) {
    age seen;
    seen.sample.state = sample_state::ok;
    seen.now_ms = 1'000'000;
    seen.oldest_ms = seen.now_ms - 12'000;
    EXPECT_EQ(judge_age(seen).verdict, verdict::ok);
    seen.tempo = measure({past(15'000, 20, 2)});
    seen.from_exporter = true;
    EXPECT_NE(judge_age(seen).fix.find("-c 1000"), std::string::npos);
    seen.from_exporter = false;
    EXPECT_EQ(judge_age(seen).fix.find("-c 1000"), std::string::npos);
    seen.oldest_ms = seen.now_ms - 61'000;
    EXPECT_EQ(judge_age(seen).verdict, verdict::warning);
    seen.sample.state = sample_state::stale;
    EXPECT_EQ(judge_age(seen).verdict, verdict::failed);
}

}  // namespace
}  // namespace gputide::doctor
