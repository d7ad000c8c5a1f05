// When the size of another controller is a difference.
#include "kubernetes/controller/object_scaler.hpp"

#include <gtest/gtest.h>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t sync_ms = 15'000;

compared_sizes sizes(std::int32_t ours, std::int32_t theirs) {
    compared_sizes out;
    out.ours = ours;
    out.theirs = theirs;
    return out;
}

TEST(Comparison, ADifferenceThatLastsIsToldOnce) {
    comparison comparison;
    EXPECT_FALSE(comparison.differs(sizes(5, 2), 0, sync_ms));
    EXPECT_FALSE(comparison.differs(sizes(5, 2), 15'000, sync_ms));
    EXPECT_TRUE(comparison.differs(sizes(5, 2), 15'001, sync_ms));
    EXPECT_TRUE(comparison.is_different());
    EXPECT_FALSE(comparison.differs(sizes(6, 2), 60'000, sync_ms));
    EXPECT_FALSE(comparison.differs(sizes(2, 2), 75'000, sync_ms));
    EXPECT_FALSE(comparison.is_different());
    EXPECT_FALSE(comparison.differs(sizes(5, 2), 90'000, sync_ms));
    EXPECT_TRUE(comparison.differs(sizes(5, 2), 106'000, sync_ms));
}

TEST(Comparison, OneThatPassesIsNone) {
    comparison comparison;
    EXPECT_FALSE(comparison.differs(sizes(5, 2), 0, sync_ms));
    EXPECT_FALSE(comparison.differs(sizes(5, 5), 14'000, sync_ms));
    EXPECT_FALSE(comparison.differs(sizes(6, 5), 20'000, sync_ms));
    EXPECT_FALSE(comparison.differs(sizes(6, 5), 34'000, sync_ms));
}

// Less may be what a window would have held, as long as ours is not full.
TEST(Comparison, LessCountsOnceTheWindowsAreFull) {
    comparison comparison;
    EXPECT_FALSE(comparison.differs(sizes(1, 5), 0, sync_ms));
    EXPECT_FALSE(comparison.differs(sizes(1, 5), 299'999, sync_ms));
    EXPECT_FALSE(comparison.differs(sizes(1, 5), 300'000, sync_ms));
    EXPECT_TRUE(comparison.differs(sizes(1, 5), 315'001, sync_ms));
}

TEST(Comparison, WhoHasNoMetricsHasNoWord) {
    comparison comparison;
    compared_sizes blind = sizes(5, 2);
    blind.theirs_counts = false;
    for (std::int64_t at = 0; at < 100'000; at += 10'000) EXPECT_FALSE(comparison.differs(blind, at, sync_ms));
}

}  // namespace
}  // namespace gputide::kubernetes
