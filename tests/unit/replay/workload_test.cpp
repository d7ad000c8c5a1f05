// Replicas that take their time.
#include "replay/workload.hpp"

#include <gtest/gtest.h>

namespace gputide::replay {
namespace {

TEST(Workload, ServesAfterItsStartUp) {
    const std::vector<std::int64_t> startup_ms{60'000};
    workload of(startup_ms, 1, 2);
    of.resize(5, 0);
    EXPECT_EQ(of.replicas(), 5);
    EXPECT_EQ(of.ready(59'999), 2);
    EXPECT_EQ(of.ready(60'000), 5);
}

TEST(Workload, StopsFirstWhatIsNotReady) {
    const std::vector<std::int64_t> startup_ms{60'000};
    workload of(startup_ms, 1, 2);
    of.resize(5, 0);
    of.resize(3, 10'000);
    EXPECT_EQ(of.ready(10'000), 2);
    EXPECT_EQ(of.replicas(), 3);
    of.resize(1, 20'000);
    EXPECT_EQ(of.ready(20'000), 1);
    EXPECT_EQ(of.ready(90'000), 1);
}

TEST(Workload, WithoutFiguresServesAtOnce) {
    workload of({}, 1, 0);
    of.resize(7, 0);
    EXPECT_EQ(of.ready(0), 7);
}

TEST(Workload, DrawsTheSameForASeed) {
    const std::vector<std::int64_t> startup_ms{1'000, 50'000, 100'000};
    const auto curve = [&](std::uint64_t seed) {
        workload of(startup_ms, seed, 0);
        of.resize(40, 0);
        return std::vector<std::int32_t>{of.ready(1'000), of.ready(50'000), of.ready(100'000)};
    };
    EXPECT_EQ(curve(7), curve(7));
    EXPECT_NE(curve(7), curve(8));
    EXPECT_EQ(curve(7).back(), 40);
}

TEST(Workload, AHugeJumpNeedsLittleMemory) {
    const std::vector<std::int64_t> startup_ms{1'000, 2'000};
    workload of(startup_ms, 1, 0);
    for (int i = 0; i < 50; ++i) {
        of.resize(2'147'483'647, 0);
        of.resize(1'000'000'000, 0);
    }
    EXPECT_EQ(of.replicas(), 1'000'000'000);
    EXPECT_EQ(of.ready(2'000), 1'000'000'000);
}

}  // namespace
}  // namespace gputide::replay
