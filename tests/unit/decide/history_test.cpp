// What the history remembers from pass to pass gives the answers that a look at every entry gives.
#include "decide/hpa/behavior.hpp"
#include "dice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gputide::decide {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int rounds = 200;
#else
constexpr int rounds = 4'000;
#endif
constexpr int passes = 150;

// stabilizeRecommendationWithBehaviors and stabilizeRecommendation, entry by entry.
struct plain_history {
    std::vector<recommendation> entries;

    std::int32_t highest_after(std::int64_t after_ms) const {
        std::int32_t out = recommendation_history::none_is_highest;
        for (const recommendation& one : entries)
            if (one.time_ms > after_ms) out = std::max(out, one.replicas);
        return out;
    }
    std::int32_t lowest_after(std::int64_t after_ms) const {
        std::int32_t out = recommendation_history::none_is_lowest;
        for (const recommendation& one : entries)
            if (one.time_ms > after_ms) out = std::min(out, one.replicas);
        return out;
    }
    void store(const recommendation& entry, std::int64_t expired_ms) {
        recommendation* slot = nullptr;
        for (recommendation& one : entries)
            if (one.time_ms < expired_ms) slot = &one;
        if (slot != nullptr) {
            *slot = entry;
        } else {
            entries.push_back(entry);
        }
    }
};

void expect_same(const recommendation_history& history, const plain_history& plain) {
    ASSERT_EQ(history.size(), plain.entries.size());
    for (std::size_t slot = 0; slot < plain.entries.size(); ++slot) {
        ASSERT_EQ(history[slot].replicas, plain.entries[slot].replicas) << "slot " << slot;
        ASSERT_EQ(history[slot].time_ms, plain.entries[slot].time_ms) << "slot " << slot;
    }
}

// Windows that change, a period that wavers, pauses longer than a window, a clock that is set back, entries out of order.
TEST(History, RemembersWhatALookWouldFind) {
    dice roll(11);
    for (int round = 0; round < rounds; ++round) {
        recommendation_history history;
        plain_history plain;
        std::int64_t now_ms = 1'800'000'000'000;
        for (std::int32_t past = roll.between(0, 6); past > 0; --past) {
            const recommendation one{roll.between(1, 9), now_ms - roll.between(0, 90'000)};
            history.push_back(one);
            plain.entries.push_back(one);
        }
        const bool steady = roll.one_in(2);
        std::int64_t up_ms = 1'000 * roll.between(0, 60);
        std::int64_t down_ms = 1'000 * roll.between(0, 60);
        for (int pass = 0; pass < passes; ++pass) {
            now_ms += steady ? 3'000 : roll.between(0, 6'000);
            if (roll.one_in(50)) now_ms += 100'000;
            if (roll.one_in(40)) up_ms = 1'000 * roll.between(0, 60);
            if (roll.one_in(40)) down_ms = 1'000 * roll.between(0, 60);
            if (roll.one_in(60)) {
                now_ms -= roll.between(0, 50'000);
                history.clamp_times(now_ms);
                for (recommendation& one : plain.entries) one.time_ms = std::min(one.time_ms, now_ms);
            }
            if (!roll.one_in(4)) {
                ASSERT_EQ(history.highest_after(now_ms - down_ms), plain.highest_after(now_ms - down_ms));
            }
            if (!roll.one_in(4)) {
                ASSERT_EQ(history.lowest_after(now_ms - up_ms), plain.lowest_after(now_ms - up_ms));
            }
            const recommendation next{roll.between(1, 9), now_ms};
            history.store(next, now_ms - std::max(up_ms, down_ms));
            plain.store(next, now_ms - std::max(up_ms, down_ms));
            ASSERT_NO_FATAL_FAILURE(expect_same(history, plain)) << "round " << round << ", pass " << pass;
        }
    }
}

TEST(History, ForgetsWhatItRememberedOfAClearedPast) {
    recommendation_history history;
    history.push_back({7, 1'000});
    EXPECT_EQ(history.highest_after(0), 7);
    history.clear();
    EXPECT_TRUE(history.empty());
    EXPECT_EQ(history.highest_after(0), recommendation_history::none_is_highest);
    EXPECT_EQ(history.lowest_after(0), recommendation_history::none_is_lowest);
    history.push_back({3, 2'000});
    EXPECT_EQ(history.highest_after(0), 3);
}

}  // namespace
}  // namespace gputide::decide
