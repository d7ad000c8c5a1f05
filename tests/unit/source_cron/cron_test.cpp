// Zones that are odd or missing, and a whole trigger.  Values and times by the clock are cases of keda-cron.json.
#include "source/cron/cron.hpp"

#include "base/time.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace gputide {
namespace {

namespace cron = source::cron;

std::string next(const char* line, const char* zone, const char* now) {
    const auto schedule = cron::parse_schedule(line);
    const auto loaded = cron::zone::load(zone);
    if (!schedule || !loaded) return "refused";
    const auto at_s = cron::next_after(*schedule, *parse_rfc3339(now) / 1'000, *loaded);
    return at_s ? format_rfc3339_s(*at_s * 1'000) : "never";
}

// Pacific/Apia went from 29 to 31 December 2011: stepping by calendar days alone would stand still there.
TEST(Schedule, PassesADayThatAZoneLeftOut) {
    EXPECT_EQ(next("0 0 30 * *", "Pacific/Apia", "2011-12-28T12:00:00Z"), "2012-01-29T10:00:00Z");
    EXPECT_EQ(next("0 12 * * *", "Pacific/Apia", "2011-12-30T00:00:00Z"), "2011-12-30T22:00:00Z");
}

TEST(Schedule, AListOfNothingNeverComes) {
    EXPECT_EQ(next("0 , * * *", "UTC", "2026-01-01T00:00:00Z"), "never");
    EXPECT_EQ(next("0 0 , , *", "UTC", "2026-01-01T00:00:00Z"), "never");
}

TEST(Zone, NamesAreNamesOnly) {
    for (const char* bad :
         {"", "/etc/localtime", "../zoneinfo/UTC", "file:/etc/localtime", "Europe\\Berlin", "Mars/X"}) {
        const auto got = cron::zone::load(bad);
        ASSERT_FALSE(got) << bad;
        EXPECT_EQ(got.failure().error_class, error_class::config) << bad;
    }
    EXPECT_TRUE(cron::zone::load("Etc/GMT+5"));
    EXPECT_TRUE(cron::zone::load("Local"));
}

class Cron : public ::testing::Test {
  protected:
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    manifest::trigger from;

    void SetUp() override {
        from.type = "cron";
        from.metadata = {
            {"timezone", "Etc/UTC"}, {"start", "0 8 * * *"}, {"end", "0 18 * * *"}, {"desiredReplicas", "4"}};
    }

    source::fetched fetch(const char* now) {
        source::services services;
        services.loop = loop;
        const auto opened = testing::open_source(from, {}, manifest::profile::standard, services);
        EXPECT_TRUE(opened) << (opened ? "" : opened.failure().message);
        if (!opened) return {};
        std::optional<source::fetched> out;
        const auto under_way = (*opened)->fetch(
            *parse_rfc3339(now), loop->steady_ms() + 1'000, [&](source::fetched got) { out = std::move(got); },
            source::detail::everything);
        EXPECT_FALSE(out) << "done ran inside the call";
        loop->run_until_idle();
        EXPECT_TRUE(out);
        return out.value_or(source::fetched());
    }
};

TEST_F(Cron, IsASampleOfNow) {
    const auto got = fetch("2026-01-01T12:00:00Z");
    EXPECT_EQ(got.sample.state, sample_state::ok) << got.why.message;
    EXPECT_EQ(got.sample.value, 4.0);
    EXPECT_EQ(got.sample.time_ms, *parse_rfc3339("2026-01-01T12:00:00Z"));
    ASSERT_EQ(got.reading.series.size(), 1U);
    EXPECT_TRUE(loop->requests().empty());
}

TEST_F(Cron, AnUnknownZoneIsToldWithTheTrigger) {
    from.metadata["timezone"] = "Mars/Olympus";
    const auto got = fetch("2026-01-01T12:00:00Z");
    EXPECT_EQ(got.why.status, status::invalid);
    EXPECT_EQ(got.why.where.text(), "trigger 0 (cron)");
}

// cctz keeps what it loaded, so that only a process of its own sees the folder gone.
TEST_F(Cron, WithoutTzdataItSaysSo) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            setenv("TZDIR", "/nonexistent", 1);
            const auto got = cron::zone::load("Asia/Tokyo");
            const bool named = !got && got.failure().service_code == "no_tzdata" && cron::zone::load("UTC").ok();
            std::exit(named ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gputide
