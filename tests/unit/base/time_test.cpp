// Times and durations as text.
#include "base/time.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gputide {
namespace {

constexpr std::int64_t max_ms = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

TEST(Rfc3339, IsWritten) {
    EXPECT_EQ(format_rfc3339_ms(0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(format_rfc3339_ms(1'795'255'200'000), "2026-11-21T10:00:00.000Z");
    EXPECT_EQ(format_rfc3339_ms(951'827'696'789), "2000-02-29T12:34:56.789Z");
    EXPECT_EQ(format_rfc3339_ms(-1), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(format_rfc3339_s(1'795'255'200'999), "2026-11-21T10:00:00Z");
    EXPECT_EQ(format_rfc3339_s(-1), "1969-12-31T23:59:59Z");
}

TEST(Rfc3339, HoldsAtTheYearsThatItCanWrite) {
    EXPECT_EQ(format_rfc3339_ms(max_ms), "9999-12-31T23:59:59.999Z");
    EXPECT_EQ(format_rfc3339_ms(least), "0001-01-01T00:00:00.000Z");
}

TEST(Rfc3339, IsReadWithAnyFractionAndOffset) {
    EXPECT_EQ(parse_rfc3339("2026-11-21T10:00:00Z"), 1'795'255'200'000);
    EXPECT_EQ(parse_rfc3339("2026-11-21T10:00:00.5Z"), 1'795'255'200'500);
    EXPECT_EQ(parse_rfc3339("2026-11-21T10:00:00.123999999Z"), 1'795'255'200'123);
    EXPECT_EQ(parse_rfc3339("2026-11-21T12:30:00+02:30"), 1'795'255'200'000);
    EXPECT_EQ(parse_rfc3339("2026-11-20T23:00:00-11:00"), 1'795'255'200'000);
    EXPECT_EQ(parse_rfc3339("2026-11-21t10:00:00z"), 1'795'255'200'000);
    EXPECT_EQ(parse_rfc3339("1969-12-31T23:59:59.999Z"), -1);
    EXPECT_EQ(parse_rfc3339("2000-02-29T00:00:00Z"), 951'782'400'000);
    EXPECT_EQ(parse_rfc3339("0001-01-01T00:00:00Z"), -62'135'596'800'000) << "how Go writes a time that was never set";
    EXPECT_EQ(parse_rfc3339("9999-12-31T23:59:59.999Z"), 253'402'300'799'999);
}

TEST(Rfc3339, RefusesEverythingElse) {
    for (const char* bad : {"",
                            "2026-11-21",
                            "2026-11-21T10:00:00",
                            "2026-11-21 10:00:00Z",
                            "2026-11-21T10:00Z",
                            "2026-11-21T10:00:00.Z",
                            "2026-11-21T10:00:00,5Z",
                            "2026-02-29T00:00:00Z",
                            "2026-13-01T00:00:00Z",
                            "2026-00-01T00:00:00Z",
                            "2026-01-00T00:00:00Z",
                            "2026-04-31T00:00:00Z",
                            "2026-11-21T24:00:00Z",
                            "2026-11-21T10:60:00Z",
                            "2026-11-21T10:00:60Z",
                            "2026-11-21T10:00:00+24:00",
                            "2026-11-21T10:00:00+0200",
                            "2026-11-21T10:00:00+02",
                            "2026-11-21T10:00:00Zx",
                            " 2026-11-21T10:00:00Z",
                            "26-11-21T10:00:00Z",
                            "0000-01-01T00:00:00Z",
                            "+2026-11-21T10:00:00Z",
                            "2026-1-21T10:00:00Z",
                            "2026-11-21T10:00:00",
                            "2026-11-21T-1:00:00Z"}) {
        EXPECT_EQ(parse_rfc3339(bad), std::nullopt) << bad;
    }
}

TEST(Rfc3339, ReadsBackWhatItWrote) {
    for (std::int64_t ms = -62'135'596'800'000; ms < 253'402'300'799'999; ms += 86'399'123'457) {
        ASSERT_EQ(parse_rfc3339(format_rfc3339_ms(ms)), ms);
    }
}

TEST(HttpDate, ReadsThePreferredForm) {
    EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784'111'777'000);
    EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
    EXPECT_EQ(parse_http_date("Tue, 29 Feb 2000 12:00:00 GMT"), 951'825'600'000);
    for (const char* bad :
         {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
          "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 nov 1994 08:49:37 GMT",
          "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "06 Nov 1994 08:49:37 GMT",
          "Xyz, 06 Nov 1994 08:49:37 GMT", "120"}) {
        EXPECT_EQ(parse_http_date(bad), std::nullopt) << bad;
    }
}

TEST(GoDuration, ReadsWhatGoReads) {
    EXPECT_EQ(parse_go_duration_ms("30s"), 30'000);
    EXPECT_EQ(parse_go_duration_ms("1m30s"), 90'000);
    EXPECT_EQ(parse_go_duration_ms("1.5s"), 1'500);
    EXPECT_EQ(parse_go_duration_ms("-2h"), -7'200'000);
    EXPECT_EQ(parse_go_duration_ms("+2h"), 7'200'000);
    EXPECT_EQ(parse_go_duration_ms("0"), 0);
    EXPECT_EQ(parse_go_duration_ms("-0"), 0);
    EXPECT_EQ(parse_go_duration_ms("100ms"), 100);
    EXPECT_EQ(parse_go_duration_ms(".5m"), 30'000);
    EXPECT_EQ(parse_go_duration_ms("5.s"), 5'000);
    EXPECT_EQ(parse_go_duration_ms("1h1h"), 7'200'000);
    EXPECT_EQ(parse_go_duration_ms("3000us"), 3);
    EXPECT_EQ(parse_go_duration_ms("3000\xC2\xB5s"), 3);
    EXPECT_EQ(parse_go_duration_ms("3000\xCE\xBCs"), 3);
    EXPECT_EQ(parse_go_duration_ms("1.001s"), 1'001);
    EXPECT_EQ(parse_go_duration_ms("0.3333333333333333333h"), 1'200'000);
    EXPECT_EQ(parse_go_duration_ms("0.100000000000000000000h"), 360'000);
}

TEST(GoDuration, CutsTowardZero) {
    EXPECT_EQ(parse_go_duration_ms("5us"), 0);
    EXPECT_EQ(parse_go_duration_ms("1999us"), 1);
    EXPECT_EQ(parse_go_duration_ms("-1999us"), -1);
    EXPECT_EQ(parse_go_duration_ms("0.6ms0.6ms"), 1) << "the pieces are added in nanoseconds";
}

TEST(GoDuration, RefusesEverythingElse) {
    for (const char* bad : {"",
                            "1.5",
                            "30",
                            "s",
                            ".s",
                            "-",
                            "+",
                            "1d",
                            "1w",
                            "1 s",
                            " 1s",
                            "1s ",
                            "1S",
                            "1.2.3s",
                            "--1s",
                            "1e3s",
                            "1s-1s",
                            "1m30",
                            "\xC2\xB5s",
                            "1\xC2\xB5",
                            "9223372036854775808ns",
                            "-9223372036854775809ns",
                            "2562048h",
                            "2562047h60m",
                            "99999999999999999999s",
                            "9223372036s999999999ns"}) {
        EXPECT_EQ(parse_go_duration_ms(bad), std::nullopt) << bad;
    }
    EXPECT_EQ(parse_go_duration_ms("9223372036854775807ns"), 9'223'372'036'854);
    EXPECT_EQ(parse_go_duration_ms("-9223372036854775808ns"), -9'223'372'036'854);
    EXPECT_EQ(parse_go_duration_ms("2562047h47m16.854775807s"), 9'223'372'036'854);
    EXPECT_EQ(parse_go_duration_ms("2562047h47m16.854775808s"), std::nullopt);
}

TEST(Duration, IsWrittenForPeople) {
    EXPECT_EQ(format_duration_ms(0), "0s");
    EXPECT_EQ(format_duration_ms(250), "250ms");
    EXPECT_EQ(format_duration_ms(90'000), "1m30s");
    EXPECT_EQ(format_duration_ms(1'500), "1.5s");
    EXPECT_EQ(format_duration_ms(61'005), "1m1.005s");
    EXPECT_EQ(format_duration_ms(60'250), "1m0.25s");
    EXPECT_EQ(format_duration_ms(3'600'000), "1h");
    EXPECT_EQ(format_duration_ms(3'601'000), "1h1s");
    EXPECT_EQ(format_duration_ms(172'800'000), "48h");
    EXPECT_EQ(format_duration_ms(-90'000), "-1m30s");
    EXPECT_EQ(format_duration_ms(-5), "-5ms");
}

TEST(Duration, ReadsBackWhatItWrote) {
    for (std::int64_t ms = -1'000'000; ms < 100'000'000; ms += 7'919) {
        ASSERT_EQ(parse_go_duration_ms(format_duration_ms(ms)), ms);
    }
    EXPECT_EQ(format_duration_ms(least).front(), '-');
}

}  // namespace
}  // namespace gputide
