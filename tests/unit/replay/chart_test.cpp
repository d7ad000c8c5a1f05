// Curves stay small and keep their peaks.
#include "replay/summary.hpp"

#include <gtest/gtest.h>

namespace gputide::replay {
namespace {

step at(std::int64_t i, double value) {
    step out;
    out.time_ms = i * 15'000;
    out.value = value;
    out.has_value = true;
    out.replicas = out.raw = out.ready = static_cast<std::int32_t>(value);
    return out;
}

TEST(Chart, KeepsEveryPeak) {
    for (const std::int64_t steps : {1, 99, 100, 101, 5'760, 100'003}) {
        chart of(100);
        for (std::int64_t i = 0; i < steps; ++i) of.add(at(i, i == steps / 2 ? 1000.0 : static_cast<double>(i % 7)));
        EXPECT_LE(of.points().size(), 100U);
        double peak = 0;
        for (std::size_t i = 0; i < of.points().size(); ++i) {
            peak = std::max(peak, of.points()[i].value_high);
            if (i > 0) {
                EXPECT_GT(of.points()[i].time_ms, of.points()[i - 1].time_ms);
            }
        }
        EXPECT_EQ(peak, 1000.0) << steps;
        if (steps > 200) {
            EXPECT_GE(of.points().size(), 50U) << steps;
        }
    }
}

TEST(Chart, OfNoPointsKeepsNone) {
    chart of(0);
    of.add(at(0, 1));
    EXPECT_TRUE(of.points().empty());
}

}  // namespace
}  // namespace gputide::replay
