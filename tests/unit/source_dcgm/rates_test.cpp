// Rates of counters over several readings.
#include "source/dcgm/dcgm.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace gputide::source::dcgm {
namespace {

picks reading_of(const std::vector<std::pair<std::string, double>>& counters) {
    picks out;
    for (const auto& [series, value] : counters) {
        pick pick;
        pick.series = series;
        pick.value = value;
        out.all.push_back(pick);
    }
    return out;
}

std::vector<double> advanced(counter_history& by, const std::vector<std::pair<std::string, double>>& counters,
                             std::int64_t at_s) {
    std::vector<double> out;
    for (const pick& pick : by.advance(reading_of(counters), at_s * 1000).all) out.push_back(pick.value);
    return out;
}

using values = std::vector<double>;

TEST(rates, begin_with_the_second_reading) {
    counter_history by;
    EXPECT_EQ(advanced(by, {{"a", 100}}, 0), values{});
    EXPECT_EQ(advanced(by, {{"a", 160}}, 30), values{2});
    EXPECT_EQ(advanced(by, {{"a", 160}}, 60), values{0});
}

TEST(rates, a_smaller_value_is_a_restart) {
    counter_history by;
    (void)advanced(by, {{"a", 160}}, 0);
    EXPECT_EQ(advanced(by, {{"a", 12}}, 30), values{0.4});
}

TEST(rates, each_series_has_its_own_past) {
    counter_history by;
    (void)advanced(by, {{"a", 0}}, 0);
    EXPECT_EQ(advanced(by, {{"a", 30}, {"b", 1000}}, 30), values{1});
    EXPECT_EQ(advanced(by, {{"b", 1060}}, 60), values{2});
    EXPECT_EQ(advanced(by, {{"a", 150}, {"b", 1060}}, 90), (values{2, 0}));  // a: 120 in 60 s
}

TEST(rates, no_time_passed_is_no_rate) {
    counter_history by;
    (void)advanced(by, {{"a", 0}}, 0);
    EXPECT_EQ(advanced(by, {{"a", 5}}, 0), values{});
    EXPECT_EQ(advanced(by, {{"a", 30}}, 30), values{1});
}

TEST(rates, a_clock_set_back_and_a_long_gap_start_anew) {
    counter_history by;
    (void)advanced(by, {{"a", 0}}, 10'000);
    EXPECT_EQ(advanced(by, {{"a", 10}}, 100), values{});
    EXPECT_EQ(advanced(by, {{"a", 40}}, 130), values{1});
    EXPECT_EQ(advanced(by, {{"a", 90}}, 130 + 16 * 60), values{});
}

}  // namespace
}  // namespace gputide::source::dcgm
