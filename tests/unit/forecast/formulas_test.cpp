// The worked lines of the headers.
#include "drive.hpp"

#include <gtest/gtest.h>

namespace gputide::forecast {
namespace {

TEST(Settings, SayHowManySlotsAheadTheySpeak) {
    settings by;
    EXPECT_EQ(slots_ahead(by), 6);
    by.slot_ms = 300'000;
    by.lead_ms = 60'000;
    EXPECT_EQ(slots_ahead(by), 2);
    by.slot_ms = 60'000;
    by.lead_ms = 3'600'000;
    EXPECT_EQ(slots_ahead(by), max_slots_ahead);
    by.lead_ms = 90'500;
    EXPECT_EQ(slots_ahead(by), 3);
}

TEST(Settings, AreReadFromJsonWithTheirDefaults) {
    const result<settings> none = read_settings(" ");
    ASSERT_TRUE(none);
    EXPECT_EQ(none->lead_ms, 300'000);
    const result<settings> some = read_settings(
        R"({"slot_ms":300000,"lead_ms":90500,"quantile_percent":95,"budget_percent":null,"mode":"observe"})");
    ASSERT_TRUE(some);
    EXPECT_EQ(some->slot_ms, 300'000);
    EXPECT_EQ(some->lead_ms, 90'500);
    EXPECT_DOUBLE_EQ(some->quantile_percent, 95);
    EXPECT_FALSE(some->budget_percent);
    EXPECT_EQ(some->mode, mode::observe);
}

TEST(Settings, ThatAreWrongNameThemselves) {
    const auto wrong = [](const char* text) {
        const result<settings> read = read_settings(text);
        return read ? std::string("fine") : read.failure().where.path;
    };
    EXPECT_EQ(wrong(R"({"lead_ms":59999})"), "lead_ms");
    EXPECT_EQ(wrong(R"({"lead_ms":60000.5})"), "lead_ms");
    EXPECT_EQ(wrong(R"({"lead_ms":"1m"})"), "lead_ms");
    EXPECT_EQ(wrong(R"({"slot_ms":120000})"), "slot_ms");
    EXPECT_EQ(wrong(R"({"quantile_percent":100})"), "quantile_percent");
    EXPECT_EQ(wrong(R"({"budget_percent":0})"), "budget_percent");
    EXPECT_EQ(wrong(R"({"max_raise_percent":901})"), "max_raise_percent");
    EXPECT_EQ(wrong(R"({"warmup_ms":1209600001})"), "warmup_ms");
    EXPECT_EQ(wrong(R"({"mode":"off"})"), "mode");
    EXPECT_EQ(wrong(R"({"led_ms":60000})"), "led_ms");
    EXPECT_EQ(read_settings("[]").failure().status, status::invalid);
}

TEST(Slots, GiveTheMeanOfWhatCameInThem) {
    open_slot open;
    enter(open, 541, 2);
    add_reading(open, 2);
    add_reading(open, 4);
    add_reading(open, -1);
    add_reading(open, std::nan(""));
    add_reading(open, 1e101);
    const slot_end end = enter(open, 544, 2);
    EXPECT_EQ(end.passage, passage::ended);
    EXPECT_EQ(end.number, 541);
    EXPECT_EQ(end.mean, 3.0);
    EXPECT_EQ(end.missing, 2);
    EXPECT_EQ(enter(open, 542, 2).passage, passage::late);
    EXPECT_EQ(open.number, 544);
    EXPECT_EQ(enter(open, 541, 2).passage, passage::set_back);
    EXPECT_EQ(open.number, 541);
    EXPECT_EQ(open.late, 1);
}

TEST(Profiles, MoveTowardEachVisitAndRunBetweenTheMiddles) {
    const profile_rule rule = profile_rule::of(3'600'000, 120'000, 60'000, 0.3);
    profile<60> learned;
    for (const auto& [slot, value] : {std::pair{0, 10.0}, {1, 10.0}, {2, 0.0}, {60, 20.0}, {61, 15.0}, {62, 0.0}}) {
        learn(rule, learned.view(), slot, value);
    }
    EXPECT_EQ(learned.visits[0], 2);
    EXPECT_DOUBLE_EQ(learned.means[0], 13.75);
    EXPECT_TRUE(is_none(value_at(rule, learned.means, learned.visits, 5)));

    const profile_rule wide = profile_rule::of(86'400'000, 300'000, 60'000, 0.3);
    profile<288> day;
    day.means[0] = 10;
    day.means[1] = 20;
    day.visits[0] = day.visits[1] = 1;
    EXPECT_DOUBLE_EQ(value_at(wide, day.means, day.visits, 4), 14);
}

TEST(Account, SpendsTheSharedHoursAndTrims) {
    account spending;
    for (int i = 0; i < 1440; ++i) end_slot(spending, {2, 10, 1}, 60);
    EXPECT_NEAR(spent(spending), 0.2, 1e-12);
    end_slot(spending, {7, 0, 1}, 60);  // a shadow of 0 says nothing
    EXPECT_NEAR(spent(spending), 0.2, 1e-12);
    const purse left = purse_of(settings{}, {.extra = 0.035, .shadow = 1});
    EXPECT_NEAR(left.trim, 0.4, 1e-12);
    EXPECT_FALSE(left.is_spent);
    EXPECT_TRUE(purse_of(settings{}, {.extra = 0.05, .shadow = 1}).is_spent);
    settings free;
    free.budget_percent.reset();
    EXPECT_FALSE(purse_of(free, {.extra = 50, .shadow = 1}).is_spent);
    EXPECT_EQ(purse_of(free, {.extra = 50, .shadow = 1}).trim, 0);
}

TEST(Weights, FollowWhatCame) {
    weights learned;
    const parts factors{0, 0, 0, 2, 0};
    learn(learned, {factors, 100, 1, 1}, 60);
    EXPECT_NEAR(learned.values[trend_part], 2 / 4.08001, 1e-12);
    EXPECT_EQ(learned.usual_error, 1);
    EXPECT_EQ(learned.values[day_part], 0);
}

TEST(Floor, OfTheWorkedLine) {
    const floor_result made = floor_of(
        {.floor_load = 117.39, .state = state::on, .target = 10, .reactive = 10, .current = 10, .max = 40}, {});
    EXPECT_EQ(made.need, 12);
    EXPECT_EQ(made.replicas, 12);
    EXPECT_EQ(made.reason, floor_reason::raised);
    EXPECT_EQ(name(made.reason), "raised");
}

// The worked example of a whole slot: F = 116.59, U = 124.59, ask 117.39.
TEST(Forecast, OfTheWorkedSlot) {
    settings by;
    by.lead_ms = 600'000;
    by.warmup_ms = 3'600'000;
    memory memory;
    const std::int64_t slot = 28'401'121;
    for (const std::int64_t at : {slot / 5 - 1, slot / 5, slot / 5 + 1, slot / 5 + 2, slot / 5 + 3}) {
        const auto index = static_cast<std::size_t>(floor_mod(at, 288));
        memory.day.visits[index] = 1;
        memory.day.means[index] = at <= slot / 5 + 1 ? 80 : 100;
    }
    memory.levels = {(94 - 96 * 0.2) / 0.8, (90 - 96 * 0.05) / 0.95};  // 94 and 90 once 96 has come in
    memory.weights.values = {0.9, 0, 0, 0.2, 0.5};
    memory.score.edge = {1.6, 5};
    memory.score.scored = 100;
    memory.score.in_use = true;
    memory.account = {.extra = 0.035, .shadow = 1};
    read(memory, by, slot * 60'000, 96);
    read(memory, by, (slot + 1) * 60'000, 96);
    const report said = report_of(memory, by);
    EXPECT_NEAR(said.parts[day_part], 21.15, 1e-9);
    EXPECT_NEAR(said.parts[trend_part], 0.44, 1e-9);
    EXPECT_NEAR(said.parts[noise_part], -1, 1e-9);
    EXPECT_NEAR(said.forecast, 116.59, 1e-9);
    EXPECT_NEAR(said.upper, 124.59, 1e-9);
    EXPECT_NEAR(said.requested_load, 117.39, 1e-9);
    EXPECT_EQ(said.at_ms, (slot + 11) * 60'000);
    EXPECT_EQ(said.state, state::on);
}

// The forecast ahead of the last slot: one per slot, the newest last, none for a slot without a reading.
TEST(Forecast, SaysWhatStandsAhead) {
    settings by;
    by.lead_ms = 180'000;  // four slots ahead
    memory memory;
    EXPECT_TRUE(forecasts_ahead(memory, by).empty());
    for (std::int64_t slot = 100; slot < 110; ++slot) read(memory, by, slot * 60'000, slot == 107 ? no_number : 50.0);
    const std::vector<slot_forecast> ahead = forecasts_ahead(memory, by);  // the last slot that ended is 108
    ASSERT_EQ(ahead.size(), 3U);
    EXPECT_EQ(ahead[0].at_ms, 109 * 60'000);
    EXPECT_EQ(ahead[1].at_ms, 110 * 60'000);
    EXPECT_EQ(ahead[2].at_ms, 112 * 60'000);  // 111 has no forecast
    const report last = report_of(memory, by);
    EXPECT_EQ(ahead.back().at_ms, last.at_ms);
    EXPECT_EQ(ahead.back().forecast, last.forecast);
    EXPECT_EQ(ahead.back().upper, last.upper);
    EXPECT_TRUE(is_none(ahead.back().requested_load));
}

}  // namespace
}  // namespace gputide::forecast
