// The clock of a fleet: forward alone, and a stall is not a time.
#include "runtime/fleet/schedule.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace gputide::runtime {
namespace {

TEST(PollClock, FollowsAClockThatRunsEvenly) {
    poll_clock on;
    on.advance(1'000'000, schedule::never);
    EXPECT_EQ(on.now_ms(), 0);
    on.advance(1'010'000, 10'000);
    EXPECT_EQ(on.now_ms(), 10'000);
    on.advance(1'010'100, 10'100);
    EXPECT_EQ(on.now_ms(), 10'100);
    EXPECT_EQ(on.stalls(), 0U);
}

TEST(PollClock, AClockSetBackMovesNothing) {
    poll_clock on;
    on.advance(1'000'000, schedule::never);
    on.advance(1'005'000, 5'000);
    on.advance(5'000, 6'000);
    EXPECT_EQ(on.now_ms(), 5'000);
    on.advance(5'500, 6'000);
    EXPECT_EQ(on.now_ms(), 5'500);
    EXPECT_EQ(on.steps_back(), 1U);
}

// An hour's sleep with a poll planned a second later: that poll is due, what stands behind it keeps its distance.
TEST(PollClock, AStallCountsAsIfTimeHadStoodStill) {
    poll_clock on;
    on.advance(0, schedule::never);
    on.advance(100, 1'100);
    on.advance(3'600'100, 1'100);
    EXPECT_GE(on.now_ms(), 1'100);
    EXPECT_LE(on.now_ms(), 1'100 + 250);
    EXPECT_EQ(on.elapsed_ms(), 3'600'100);
    EXPECT_EQ(on.stalls(), 1U);
}

// A host that comes by once a second, whatever it was told, loses no time.
TEST(PollClock, ACoarseHostIsTakenAsItComes) {
    poll_clock on;
    on.advance(0, schedule::never);
    on.advance(1'000, 10);
    const std::int64_t lost_ms = on.stalled_ms();
    for (std::int64_t now = 2'000; now <= 60'000; now += 1'000) on.advance(now, on.now_ms() + 10);
    EXPECT_EQ(on.stalled_ms(), lost_ms);
    EXPECT_LE(lost_ms, 1'000);
}

TEST(PollClock, AbsurdClocksAreHeld) {
    poll_clock on;
    on.advance(std::numeric_limits<std::int64_t>::min(), schedule::never);
    on.advance(std::numeric_limits<std::int64_t>::max(), schedule::never);
    on.advance(0, schedule::never);
    on.advance(std::numeric_limits<std::int64_t>::max(), schedule::never);
    EXPECT_GE(on.now_ms(), 0);
}

TEST(StartOffset, IsTheSameForTheSameNameAndSeedAndSpreadEvenly) {
    EXPECT_EQ(start_offset_ms("default/a", 1, 15'000), start_offset_ms("default/a", 1, 15'000));
    EXPECT_NE(start_offset_ms("default/a", 1, 15'000), start_offset_ms("default/a", 2, 15'000));
    std::vector<int> per_second(15);
    for (int i = 0; i < 15'000; ++i) {
        const std::int64_t at = start_offset_ms("default/model-" + std::to_string(i), 0, 15'000);
        ASSERT_GE(at, 0);
        ASSERT_LT(at, 15'000);
        ++per_second[static_cast<std::size_t>(at / 1'000)];
    }
    for (const int count : per_second) EXPECT_NEAR(count, 1'000, 150);
}

}  // namespace
}  // namespace gputide::runtime
