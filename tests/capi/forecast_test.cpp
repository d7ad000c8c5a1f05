// Section 12 of the C API: the forecast alone, and what it refuses.
#include "gputide/gputide.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

constexpr std::int64_t minute_ms = 60'000;

double load_at(std::int64_t minute) { return minute % 60 < 10 ? 100 : 20; }

constexpr char settings[] = R"({"warmup_ms":3600000,"budget_percent":100})";

gputide::forecast driven(std::int64_t minutes) {
    gputide::forecast out = gputide::forecast::open(settings);
    for (std::int64_t minute = 0; minute < minutes; ++minute) {
        const auto reactive = static_cast<std::int32_t>(load_at(minute) / 5);
        out.add(start_ms + minute * minute_ms, load_at(minute));
        out.charge(out.floor(5, reactive, reactive, 40).replicas, reactive);
    }
    return out;
}

gputide_status status_of(const std::string& text) {
    gputide_forecast* out = nullptr;
    auto err = sized<gputide_error>();
    const gputide_status got = gputide_forecast_open(text.c_str(), GPUTIDE_TEXT, &out, &err);
    gputide_forecast_free(out);
    return got;
}

TEST(Forecast, RaisesBeforeWhatComesEveryHour) {
    gputide::forecast forecast = driven(2 * 1440 + 56);
    const gputide_floor floor = forecast.floor(5, 4, 4, 40);
    EXPECT_EQ(gputide::forecast_state_name(floor.state), "on");
    EXPECT_GT(floor.floor_load, 90);
    EXPECT_EQ(floor.need_replicas, static_cast<std::int32_t>(std::ceil(floor.floor_load / 5)));
    EXPECT_EQ(floor.replicas, 12);  // 4 and 200 % above it
    EXPECT_EQ(gputide::floor_reason_name(floor.reason), "capped_by_raise");
    EXPECT_EQ(forecast.floor(5, 0, 0, 40).reason, GPUTIDE_FLOOR_AT_ZERO);
    EXPECT_EQ(forecast.floor(5, 4, 4, 4).reason, GPUTIDE_FLOOR_CAPPED_BY_MAX);
}

TEST(Forecast, AFreshOneAsksForNothing) {
    const gputide_floor floor = gputide::forecast::open().floor(5, 4, 4, 40);
    EXPECT_EQ(floor.state, GPUTIDE_FORECAST_WARMING);
    EXPECT_EQ(floor.reason, GPUTIDE_FLOOR_WARMING_UP);
    EXPECT_EQ(floor.replicas, 4);
    EXPECT_EQ(floor.need_replicas, -1);
    EXPECT_TRUE(std::isnan(floor.floor_load));
}

TEST(Forecast, GoesOnFromItsText) {
    gputide::forecast whole = driven(1500);
    gputide::forecast cut = gputide::forecast::open(settings);
    cut.load(whole.save());
    for (std::int64_t minute = 1500; minute < 1700; ++minute) {
        whole.add(start_ms + minute * minute_ms, load_at(minute));
        cut.add(start_ms + minute * minute_ms, load_at(minute));
    }
    EXPECT_EQ(whole.save(), cut.save());
    EXPECT_EQ(whole.describe(), cut.describe());
    std::string damaged = whole.save();
    damaged[damaged.size() / 2] ^= 1;
    EXPECT_THROW(cut.load(damaged), gputide::failure);
    EXPECT_EQ(whole.save(), cut.save());
}

TEST(Forecast, RefusesWhatCannotBe) {
    EXPECT_EQ(status_of(R"({"lead_ms":1})"), GPUTIDE_E_INVALID);
    EXPECT_EQ(status_of("{"), GPUTIDE_E_INVALID);
    EXPECT_EQ(status_of("{" + std::string(70'000, ' ') + "}"), GPUTIDE_E_LIMIT);
    gputide::forecast forecast = gputide::forecast::open();
    EXPECT_THROW(forecast.add(0, 5), gputide::failure);
    EXPECT_THROW(forecast.floor(0, 1, 1, 1), gputide::failure);
    EXPECT_THROW(forecast.floor(std::nan(""), 1, 1, 1), gputide::failure);
    EXPECT_THROW(forecast.floor(5, -1, 1, 1), gputide::failure);
    EXPECT_THROW(forecast.floor(5, 1, 1, -1), gputide::failure);
    EXPECT_THROW(forecast.charge(-1, 1), gputide::failure);
}

TEST(Forecast, NullArgumentsAreErrors) {
    auto err = sized<gputide_error>();
    EXPECT_EQ(gputide_forecast_open(nullptr, 0, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_add(nullptr, start_ms, 1, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_floor(nullptr, 1, 1, 1, 1, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_charge(nullptr, 1, 1, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_describe(nullptr, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_save(nullptr, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_load(nullptr, "", 0, &err), GPUTIDE_E_INVALID);
    gputide_forecast_free(nullptr);
    EXPECT_STREQ(gputide_forecast_state_name(99), "unknown");
    EXPECT_STREQ(gputide_floor_reason_name(99), "unknown");
}

}  // namespace
