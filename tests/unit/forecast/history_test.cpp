// A start with the past: as if it had been there, and what is of now stays.
#include "drive.hpp"
#include "forecast/forecast.hpp"
#include "forecast/series.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gputide::forecast {
namespace {

using drive::minute_ms;
using drive::start_ms;

std::vector<past_load> office_past(std::int64_t days) {
    const std::vector<double> loads = forecast_series::office(days);
    std::vector<past_load> out;
    for (std::size_t minute = 0; minute < loads.size(); ++minute)
        out.push_back({start_ms + static_cast<std::int64_t>(minute) * minute_ms, loads[minute]});
    return out;
}

TEST(History, IsLearnedAsIfItHadBeenSeen) {
    const settings by;
    const std::vector<past_load> past = office_past(3);
    memory seen;
    for (const past_load& one : past) read(seen, by, one.time_ms, one.load);
    memory told;
    begin_with(told, by, past);
    EXPECT_EQ(save(told, by), save(seen, by));
    EXPECT_NE(state_of(told, by), state::warming);
}

TEST(History, EndsWhereTheOpenSlotBegins) {
    const settings by;
    const std::vector<past_load> past = office_past(2);
    const std::int64_t now_ms = past.back().time_ms - 10 * minute_ms;
    memory one;
    one.account = {.extra = 0.5, .shadow = 40};
    read(one, by, now_ms + 1'000, 33);
    book(one, 5, 4);
    begin_with(one, by, past);
    EXPECT_EQ(one.open.number, floor_div(now_ms, minute_ms));
    EXPECT_EQ(one.open.sum, 33);
    EXPECT_EQ(one.open.count, 1);
    EXPECT_EQ(one.booked.extra, 1);
    EXPECT_EQ(one.account.extra, 0.5);
    EXPECT_EQ(one.ended, one.open.number - 1);
    memory seen;
    for (const past_load& before : past) {
        if (before.time_ms < now_ms) read(seen, by, before.time_ms, before.load);
    }
    read(seen, by, now_ms, 33);
    EXPECT_EQ(report_of(one, by).forecast, report_of(seen, by).forecast);
    EXPECT_EQ(one.score.scored, seen.score.scored);
}

TEST(History, MayHaveHolesAndMayHoldNothing) {
    const settings by;
    std::vector<past_load> past = office_past(2);
    for (std::size_t i = 0; i < past.size(); i += 3) past[i].load = no_number;
    past.erase(past.begin() + 1000, past.begin() + 1200);
    memory one;
    begin_with(one, by, past);
    EXPECT_GT(one.score.scored, 1000);
    begin_with(one, by, {});
    EXPECT_FALSE(one.begun);
    EXPECT_EQ(one.score.scored, 0);
}

}  // namespace
}  // namespace gputide::forecast
