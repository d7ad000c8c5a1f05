// Checks what holds on any input: random, adversarial, constant, a saw-tooth at the lead.
#include "base/checksum.hpp"
#include "drive.hpp"
#include "forecast/series.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gputide::forecast {
namespace {

using drive::driven;
using drive::minute_ms;
using drive::pass;
using drive::start_ms;

using load_of_minute = double (*)(std::int64_t minute);

struct input {
    const char* name;
    load_of_minute load;
};

double random_load(std::int64_t minute) { return 200 * forecast_series::uniform(static_cast<std::uint64_t>(minute)); }
double constant_load(std::int64_t) { return 80; }
double saw_tooth(std::int64_t minute) { return minute % 11 < 5 ? 20 : 100; }
double long_saw_tooth(std::int64_t minute) { return 10 + static_cast<double>(minute % 22) * 8; }
double rare_peak(std::int64_t minute) { return minute % 1440 == 600 ? 1000 : 50; }
double office_load(std::int64_t minute) {
    return forecast_series::office_at(minute, false) * (1 + 0.04 * forecast_series::noise(minute));
}
double broken_load(std::int64_t minute) {
    switch (minute % 7) {
        case 0:
            return std::nan("");
        case 1:
            return -5;
        case 2:
            return 1e99;
        case 3:
            return std::numeric_limits<double>::infinity();
        default:
            return random_load(minute);
    }
}
double growing(std::int64_t minute) { return 5 + static_cast<double>(minute) / 60; }
double collapse(std::int64_t minute) { return minute < 5 * 1440 ? office_load(minute) : 5.0; }

constexpr input inputs[] = {{"random", &random_load},  {"constant", &constant_load},
                            {"saw-tooth", &saw_tooth}, {"long saw-tooth", &long_saw_tooth},
                            {"rare peak", &rare_peak}, {"office", &office_load},
                            {"broken", &broken_load},  {"growing", &growing},
                            {"collapse", &collapse}};

driven driven_by(std::int64_t lead_ms) {
    driven out;
    out.settings.lead_ms = lead_ms;
    out.settings.warmup_ms = 7'200'000;
    return out;
}

TEST(Law, TheFloorNeverLowersNeverPassesMaxAndNeverRaisesBeyondItsCap) {
    for (const input& entry : inputs) {
        driven with = driven_by(600'000);
        with.max = 30;
        for (std::int64_t minute = 0; minute < 4 * 1440; ++minute) {
            const pass made = with.step(start_ms + minute * minute_ms, entry.load(minute));
            ASSERT_GE(made.floor.replicas, made.reactive) << entry.name << " " << minute;
            ASSERT_LE(made.floor.replicas, with.max) << entry.name << " " << minute;
            ASSERT_LE(made.floor.replicas, 3 * made.reactive) << entry.name << " " << minute;
        }
    }
}

TEST(Law, NothingStartsFromZero) {
    driven with = driven_by(300'000);
    for (std::int64_t minute = 0; minute < 3 * 1440; ++minute)
        with.step(start_ms + minute * minute_ms, office_load(minute));
    const floor_result made = floor_of({1e9, state::on, 5, 0, 0, 100}, with.settings);
    EXPECT_EQ(made.replicas, 0);
    EXPECT_EQ(made.reason, floor_reason::at_zero);
}

// The budget, and one begun raise: max-raise for two leads.
TEST(Law, TheBudgetHoldsOnAnyInput) {
    for (const input& entry : inputs) {
        for (const std::int64_t lead_minutes : {1, 5, 10, 30}) {
            driven with = driven_by(lead_minutes * minute_ms);
            for (std::int64_t minute = 0; minute < 10 * 1440; ++minute) {
                with.step(start_ms + minute * minute_ms, entry.load(minute));
            }
            const double begun =
                with.settings.max_raise_percent / 100 * with.largest_shadow * static_cast<double>(2 * lead_minutes);
            EXPECT_LE(with.extra, 0.05 * with.shadow + begun) << entry.name << ", lead " << lead_minutes;
        }
    }
}

// An environment that sees the asks: a pattern that is kept until the forecast counts on it, and then broken on the very day that it raises for,
// again and again.
TEST(Law, TheBudgetHoldsAgainstWhoSeesTheAsks) {
    for (const std::int64_t lead_minutes : {1, 5, 10, 30}) {
        driven with = driven_by(lead_minutes * minute_ms);
        bool breaks = false;
        for (std::int64_t minute = 0; minute < 14 * 1440; ++minute) {
            const bool promised = minute % 120 < 40;
            if (minute % 120 == 119) breaks = false;
            const pass made = with.step(start_ms + minute * minute_ms, promised && !breaks ? 300 : 10);
            if (made.floor.replicas > made.reactive) breaks = true;  // what it waits for does not come
        }
        const double begun =
            with.settings.max_raise_percent / 100 * with.largest_shadow * static_cast<double>(2 * lead_minutes);
        EXPECT_LE(with.extra, 0.05 * with.shadow + begun) << "lead " << lead_minutes;
    }
}

TEST(Law, WhereNothingChangesNothingIsRaised) {
    for (const load_of_minute load : {&constant_load, +[](std::int64_t) { return 0.0; }}) {
        driven with = driven_by(300'000);
        for (std::int64_t minute = 0; minute < 4 * 1440; ++minute)
            with.step(start_ms + minute * minute_ms, load(minute));
        EXPECT_EQ(with.extra, 0);
        EXPECT_EQ(state_of(with.memory, with.settings), state::off);
    }
}

TEST(Law, APatternIsLearnedAndRaises) {
    driven with = driven_by(600'000);
    for (std::int64_t minute = 0; minute < 5 * 1440; ++minute)
        with.step(start_ms + minute * minute_ms, office_load(minute));
    EXPECT_GT(with.extra, 0);
    EXPECT_GT(report_of(with.memory, with.settings).skill, 0.1);
}

TEST(Law, ASaveAndLoadAtAnyStepChangesNothing) {
    for (const input& entry : inputs) {
        driven whole = driven_by(300'000);
        driven cut = driven_by(300'000);
        for (std::int64_t minute = 0; minute < 1500; ++minute) {
            const std::int64_t now_ms = start_ms + minute * minute_ms;
            whole.step(now_ms, entry.load(minute));
            cut.step(now_ms, entry.load(minute));
            if (minute > 60 && minute % 37 != 0) continue;
            result<memory> again = load(save(cut.memory, cut.settings), cut.settings);
            ASSERT_TRUE(again) << entry.name << " " << minute << ": " << again.failure().message;
            cut.memory = *again;
        }
        EXPECT_EQ(save(whole.memory, whole.settings), save(cut.memory, cut.settings)) << entry.name;
    }
}

TEST(Law, AClockThatMovesNeverRaisesBeyondTheCap) {
    driven with = driven_by(300'000);
    std::int64_t now_ms = start_ms;
    for (std::int64_t i = 0; i < 6 * 1440; ++i) {
        const double chance = forecast_series::uniform(static_cast<std::uint64_t>(i) + 7'000'000);
        now_ms += chance < 0.002 ? 86'400'000 : chance < 0.004 ? -7'200'000 : chance < 0.02 ? -90'000 : minute_ms;
        const pass made = with.step(now_ms, office_load(floor_div(now_ms - start_ms, minute_ms) + 400'000));
        ASSERT_LE(made.floor.replicas, 3 * made.reactive);
        ASSERT_TRUE(std::isfinite(with.memory.account.extra) && std::isfinite(with.memory.score.loss));
    }
    EXPECT_TRUE(load(save(with.memory, with.settings), with.settings));
}

// The bits of every number after two weeks: another machine, compiler or flag that computes otherwise shows here.
TEST(Law, TheSameBitsEverywhere) {
    driven with = driven_by(600'000);
    const std::vector<double> loads = forecast_series::office(14);
    for (std::size_t minute = 0; minute < loads.size(); ++minute) {
        with.step(start_ms + static_cast<std::int64_t>(minute) * minute_ms, loads[minute]);
    }
    EXPECT_EQ(crc32c(save(with.memory, with.settings)), 0x95267e6eU);
}

}  // namespace
}  // namespace gputide::forecast
