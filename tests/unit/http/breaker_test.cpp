// When an endpoint is asked and when it is left alone.
#include "http/middle/traffic.hpp"

#include <gtest/gtest.h>

namespace gputide::http {
namespace {

constexpr breaker_rule rule{3, 1'000, 10'000};
constexpr double middle = 0.5;  // no jitter

TEST(Breaker, OpensAfterFailuresInARowAlone) {
    breaker on;
    for (int i = 0; i < 10; ++i) {
        on.failed(rule, 0, middle);
        on.failed(rule, 0, middle);
        on.succeeded();
        EXPECT_TRUE(on.admit(0));
    }
    for (int i = 0; i < 3; ++i) on.failed(rule, 0, middle);
    EXPECT_EQ(on.state(), circuit::open);
    EXPECT_FALSE(on.admit(999));
}

TEST(Breaker, LetsOneTrialThroughAndDoublesItsWait) {
    breaker on;
    for (int i = 0; i < 3; ++i) on.failed(rule, 0, middle);
    std::int64_t now = 0;
    for (const std::int64_t wait : {1'000, 2'000, 4'000, 8'000, 10'000, 10'000}) {
        EXPECT_EQ(on.until_ms() - now, wait);
        now = on.until_ms();
        EXPECT_FALSE(on.admit(now - 1));
        EXPECT_TRUE(on.admit(now));
        EXPECT_FALSE(on.admit(now)) << "one trial at a time";
        on.failed(rule, now, middle);
    }
    now = on.until_ms();
    EXPECT_TRUE(on.admit(now));
    on.succeeded();
    EXPECT_EQ(on.state(), circuit::closed);
    for (int i = 0; i < 3; ++i) on.failed(rule, now, middle);
    EXPECT_EQ(on.until_ms() - now, 1'000) << "a success begins anew";
}

TEST(Breaker, ATrialWithoutAnEndAllowsAnother) {
    breaker on;
    for (int i = 0; i < 3; ++i) on.failed(rule, 0, middle);
    EXPECT_TRUE(on.admit(1'000));
    on.given_up();
    EXPECT_TRUE(on.admit(1'000));
}

TEST(Breaker, LateNewsDoNotCloseIt) {
    breaker on;
    for (int i = 0; i < 3; ++i) on.failed(rule, 0, middle);
    on.succeeded();
    EXPECT_EQ(on.state(), circuit::open);
    on.failed(rule, 500, middle);
    EXPECT_EQ(on.until_ms(), 1'000);
}

TEST(Breaker, HonorsAnAskedWaitUpToAnHour) {
    breaker on;
    on.note_asked_wait(30'000, 0);
    EXPECT_FALSE(on.admit(29'999));
    EXPECT_TRUE(on.admit(30'000));
    on.note_asked_wait(1'000'000'000, 30'000);
    EXPECT_EQ(on.until_ms(), 3'630'000);
}

}  // namespace
}  // namespace gputide::http
