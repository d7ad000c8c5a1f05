// Sums, differences and products that would wrap.
#include "base/saturate.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

TEST(saturate, sums_stop_at_the_bounds) {
    EXPECT_EQ(add_saturating(highest, 1), highest);
    EXPECT_EQ(add_saturating(1, highest), highest);
    EXPECT_EQ(add_saturating(-highest, -2), lowest);
    EXPECT_EQ(add_saturating(highest, lowest), -1);
}

TEST(saturate, differences_stop_at_the_bounds) {
    EXPECT_EQ(subtract_saturating(-highest, 5), lowest);
    EXPECT_EQ(subtract_saturating(0, lowest), highest) << "it has no positive twin";
    EXPECT_EQ(subtract_saturating(-1, lowest), highest);
}

TEST(saturate, products_stop_at_the_bounds) {
    EXPECT_EQ(multiply_saturating(highest, 100), highest);
    EXPECT_EQ(multiply_saturating(highest, -100), lowest);
    EXPECT_EQ(multiply_saturating(lowest, -1), highest);
    EXPECT_EQ(multiply_saturating(lowest, 0), 0);
}

}  // namespace
}  // namespace gputide
