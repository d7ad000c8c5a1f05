// A forecast survives its text; nothing else is taken, and other settings take what stays true of it.
#include "base/checksum.hpp"
#include "drive.hpp"
#include "forecast/forecast.hpp"
#include "forecast/series.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gputide::forecast {

namespace {

using drive::driven;
using drive::minute_ms;
using drive::start_ms;

driven two_days() {
    driven out;
    out.settings.warmup_ms = 3'600'000;
    for (std::int64_t minute = 0; minute < 2 * 1440; ++minute) {
        out.step(start_ms + minute * minute_ms, 50 + 40 * std::sin(static_cast<double>(minute) / 100));
    }
    return out;
}

std::string resealed(const std::string& text, const std::string& from, const std::string& to) {
    std::string body = text.substr(0, text.rfind(",\"crc32c\""));
    const std::size_t at = body.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return sealed(body.replace(at, from.size(), to));
}

TEST(Text, OfAFreshOneReadsBack) {
    const settings by;
    const std::string text = save(memory{}, by);
    const result<memory> again = load(text + "\n", by);
    ASSERT_TRUE(again);
    EXPECT_EQ(save(*again, by), text);
}

TEST(Text, IsOfBoundedSize) {
    driven longest = two_days();
    longest.settings.lead_ms = 3'600'000;
    longest.memory = {};
    for (std::int64_t minute = 0; minute < 8 * 1440; ++minute) {
        longest.step(start_ms + minute * minute_ms, 50 + 40 * std::sin(static_cast<double>(minute) / 100));
    }
    EXPECT_LE(save(longest.memory, longest.settings).size(), std::size_t{28} * 1024);
}

TEST(Text, RefusesEveryCut) {
    const driven scaler = two_days();
    const std::string text = save(scaler.memory, scaler.settings);
    for (std::size_t size = 0; size < text.size(); size += 97) {
        const result<memory> again = load(text.substr(0, size), scaler.settings);
        ASSERT_FALSE(again) << size;
        ASSERT_EQ(again.failure().status, status::state);
    }
}

TEST(Text, RefusesNumbersThatItDoesNotWrite) {
    const driven scaler = two_days();
    const std::string text = save(scaler.memory, scaler.settings);
    ASSERT_TRUE(load(resealed(text, "\"peak\":", "\"peak\":"), scaler.settings));
    for (const auto& [from, to] : {std::pair{"\"gputide_forecast\":1", "\"gputide_forecast\":2"},
                                   {"\"gputide_forecast\":1", "\"gputide_forecast\":0"},
                                   {"\"slot_ms\":60000", "\"slot_ms\":0"},
                                   {"\"lead_ms\":300000", "\"lead_ms\":1"},
                                   {"\"peak\":", "\"peak\":-"},
                                   {"\"peak\":", "\"peak\":1e300"},
                                   {"\"peak\":", "\"peak\":nan"},
                                   {"\"levels\":[", "\"levels\":[null,"},
                                   {"\"rows\":[", "\"rows\":[null,"},
                                   {"\"account\":[", "\"account\":[-"}}) {
        const result<memory> again = load(resealed(text, from, to), scaler.settings);
        EXPECT_FALSE(again) << from << " → " << to;
    }
}

TEST(Text, OfAnotherLeadKeepsPatternsAndAccount) {
    const driven scaler = two_days();
    settings other = scaler.settings;
    other.lead_ms = 600'000;
    const result<memory> moved = load(save(scaler.memory, scaler.settings), other);
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->day.means, scaler.memory.day.means);
    EXPECT_EQ(moved->levels.fast, scaler.memory.levels.fast);
    EXPECT_EQ(moved->peak, scaler.memory.peak);
    EXPECT_EQ(moved->account.shadow, scaler.memory.account.shadow);
    EXPECT_EQ(moved->score.scored, 0);
    EXPECT_FALSE(moved->score.in_use);
    EXPECT_EQ(moved->weights.values, parts{});
    EXPECT_TRUE(is_none(moved->floor_load));
    for (const row& row : moved->rows) EXPECT_TRUE(row.is_empty());
}

TEST(Text, OfAnotherSlotStartsAnew) {
    const driven scaler = two_days();
    settings other = scaler.settings;
    other.slot_ms = 300'000;
    const result<memory> moved = load(save(scaler.memory, scaler.settings), other);
    ASSERT_TRUE(moved);
    EXPECT_EQ(save(*moved, other), save(memory{}, other));
}

}  // namespace

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
    for (const past_load& load : past) read(seen, by, load.time_ms, load.load);
    memory told;
    begin_with(told, by, past);
    EXPECT_EQ(save(told, by), save(seen, by));
    EXPECT_NE(state_of(told, by), state::warming);
}

TEST(History, EndsWhereTheOpenSlotBegins) {
    const settings by;
    const std::vector<past_load> past = office_past(2);
    const std::int64_t now_ms = past.back().time_ms - 10 * minute_ms;
    memory entry;
    entry.account = {.extra = 0.5, .shadow = 40};
    read(entry, by, now_ms + 1'000, 33);
    book(entry, 5, 4);
    begin_with(entry, by, past);
    EXPECT_EQ(entry.open.number, floor_div(now_ms, minute_ms));
    EXPECT_EQ(entry.open.sum, 33);
    EXPECT_EQ(entry.open.count, 1);
    EXPECT_EQ(entry.booked.extra, 1);
    EXPECT_EQ(entry.account.extra, 0.5);
    EXPECT_EQ(entry.ended, entry.open.number - 1);
    memory seen;
    for (const past_load& before : past) {
        if (before.time_ms < now_ms) read(seen, by, before.time_ms, before.load);
    }
    read(seen, by, now_ms, 33);
    EXPECT_EQ(report_of(entry, by).forecast, report_of(seen, by).forecast);
    EXPECT_EQ(entry.score.scored, seen.score.scored);
}

TEST(History, MayHaveHolesAndMayHoldNothing) {
    const settings by;
    std::vector<past_load> past = office_past(2);
    for (std::size_t i = 0; i < past.size(); i += 3) past[i].load = no_number;
    past.erase(past.begin() + 1000, past.begin() + 1200);
    memory memory;
    begin_with(memory, by, past);
    EXPECT_GT(memory.score.scored, 1000);
    begin_with(memory, by, {});
    EXPECT_FALSE(memory.begun);
    EXPECT_EQ(memory.score.scored, 0);
}

}  // namespace

}  // namespace gputide::forecast
