// What a recording makes of points in any order.
#include "scene.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gputide::replay {
namespace {

TEST(Recording, SortsAndCounts) {
    recording of;
    for (const std::int64_t at_s : {0, 15, 45, 30, 60, 60, 120, 135}) ASSERT_TRUE(add_point(of, 0, at_s * 1000, 1.0));
    ASSERT_TRUE(add_point(of, 0, 150'000, std::numeric_limits<double>::quiet_NaN()));
    ASSERT_TRUE(tidy(of));
    EXPECT_EQ(of.notes.points, 8);
    EXPECT_EQ(of.notes.duplicates, 1);
    EXPECT_EQ(of.notes.unordered, 1);
    EXPECT_EQ(of.notes.not_a_number, 1);
    EXPECT_EQ(of.notes.step_ms, 15'000);
    EXPECT_EQ(of.notes.gaps, 1);
    EXPECT_EQ(of.notes.longest_gap_ms, 60'000);
    EXPECT_EQ(of.metrics[0].points.back().state, sample_state::not_a_number);
}

TEST(Recording, OfTwoPointsAtOneTimeTheLastCounts) {
    recording of;
    ASSERT_TRUE(add_point(of, 0, 1000, 1));
    ASSERT_TRUE(add_point(of, 0, 2000, 5));
    ASSERT_TRUE(add_point(of, 0, 1000, 2));
    ASSERT_TRUE(tidy(of));
    ASSERT_EQ(of.metrics[0].points.size(), 2U);
    EXPECT_EQ(of.metrics[0].points[0].value, 2);
}

TEST(Recording, RefusesWhatCannotBe) {
    recording of;
    EXPECT_EQ(add_point(of, 0, -1, 1).failure().status, status::invalid);
    EXPECT_EQ(add_point(of, 0, latest_ms + 1, 1).failure().status, status::invalid);
    EXPECT_EQ(add_point(of, most_metrics, 0, 1).failure().status, status::limit);
    EXPECT_EQ(add_size(of, 0, -1).failure().status, status::invalid);
    EXPECT_EQ(tidy(of).failure().status, status::no_data);
}

TEST(Recording, MergesMetricsSideBySide) {
    recording all = scene::values({1, 2, 3});
    ASSERT_TRUE(merge(all, scene::values({4, 5}, 7), 1));
    ASSERT_TRUE(tidy(all));
    ASSERT_EQ(all.metrics.size(), 2U);
    EXPECT_EQ(all.notes.points, 5);
    EXPECT_EQ(all.sizes.size(), 2U);
    EXPECT_EQ(merge(all, scene::values({1}), most_metrics).failure().status, status::limit);
    EXPECT_EQ(all.metrics.size(), 2U);
}

}  // namespace
}  // namespace gputide::replay
