// Whether a size is written, where another controller scales too.
#include "kubernetes/controller/object_scaler.hpp"
#include "on_a_cluster.hpp"

#include <gtest/gtest.h>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t five_minutes_ms = 300'000;

TEST_F(on_a_cluster, what_is_handed_over_is_scaled_although_keda_scaled_it_twice_just_before) {
    put_scaler();
    put_hpa();
    server.load = 22;
    attach();
    EXPECT_TRUE(is_contested());
    for (const std::int32_t size : {3, 4, 6}) {
        server.resize(size);
        run(1'000);
    }
    put_scaler(kedas_pause);
    drop_hpa();
    run(1'000);
    put_scaler(std::string(kedas_pause) + "," + our_mark);
    run(3'000);
    EXPECT_EQ(server.sizes, (std::vector<std::int32_t>{5}));
    EXPECT_FALSE(is_contested());
}

TEST_F(on_a_cluster, who_was_seen_to_scale_it_before_the_hand_over_counts_no_more) {
    put_scaler();
    server.load = 22;
    attach();
    for (const std::int32_t size : {2, 3}) server.resize(size);
    put_scaler(std::string(kedas_pause) + "," + our_mark);
    run(20'000);
    EXPECT_EQ(server.size(), 5);
    EXPECT_FALSE(is_contested());
}

TEST_F(on_a_cluster, two_sizes_of_somebody_elses_are_forgotten_after_five_minutes) {
    put_scaler({}, false);
    attach();
    for (const std::int32_t size : {3, 4}) server.resize(size);
    run(3'000);
    EXPECT_TRUE(is_contested());
    run(five_minutes_ms - 10'000);
    EXPECT_EQ(server.size(), 4);
    run(15'000);
    EXPECT_EQ(server.size(), 1) << "although nothing has happened to it meanwhile";
    EXPECT_FALSE(is_contested());
}

// As `gputided release` does it.
TEST_F(on_a_cluster, what_goes_back_to_keda_waits_for_its_hpa) {
    put_scaler(std::string(kedas_pause) + "," + our_mark);
    server.load = 22;
    attach();
    EXPECT_EQ(server.size(), 5);
    put_scaler(kedas_pause);
    run(five_minutes_ms);
    server.load = 42;
    put_scaler();
    run(10'000);
    EXPECT_EQ(server.size(), 5);
    EXPECT_TRUE(is_contested());
    put_hpa();
    run(3'000);
    drop_hpa();
    run(3'000);
    EXPECT_EQ(server.size(), 9) << "KEDA had it, and let go of it";
}

TEST_F(on_a_cluster, what_goes_back_to_a_keda_that_is_not_there_is_scaled_after_a_minute) {
    put_scaler(our_mark);
    server.load = 22;
    attach();
    EXPECT_EQ(server.size(), 5);
    put_scaler();
    server.load = 42;
    run(58'000);
    EXPECT_EQ(server.size(), 5);
    EXPECT_TRUE(is_contested());
    run(5'000);
    EXPECT_EQ(server.size(), 9);
    EXPECT_FALSE(is_contested());
}

TEST_F(on_a_cluster, what_is_not_kedas_waits_for_nobody) {
    put_scaler(our_mark, false);
    attach();
    put_scaler({}, false);
    server.load = 22;
    run(3'000);
    EXPECT_EQ(server.size(), 5);
}

struct a_write_under_way : on_a_cluster {
    // Its read takes two seconds, in which that happens.
    void happens(const std::function<void()>& meanwhile) {
        put_scaler(std::string(kedas_pause) + "," + our_mark);
        attach();
        server.scale_read_ms = 2'000;
        server.load = 22;
        bool is_begun = false;
        server.on_asked = [&](const http::request& asked) {
            is_begun = is_begun || asked.url.find("/llm/scale") != std::string::npos;
        };
        while (!is_begun) run(50);
        server.on_asked = nullptr;
        meanwhile();
        run(8'000);
    }
};

TEST_F(a_write_under_way, ends_where_nothing_happens) {
    happens([] {});
    EXPECT_EQ(server.sizes, (std::vector<std::int32_t>{5}));
}

TEST_F(a_write_under_way, does_not_outlive_the_owners_mark) {
    happens([this] { put_scaler(kedas_pause); });
    EXPECT_TRUE(server.sizes.empty());
    EXPECT_NE(cluster->describe().find(R"("changed":1)"), std::string::npos) << cluster->describe();
}

TEST_F(a_write_under_way, stops_where_an_hpa_comes) {
    happens([this] { put_hpa(); });
    EXPECT_TRUE(server.sizes.empty());
}

TEST_F(a_write_under_way, stops_where_another_gputide_has_it) {
    happens([this] { put_scaler(R"("gputide.io/owner":"another")"); });
    EXPECT_TRUE(server.sizes.empty());
}

// Also where its size is right by now, so that nothing is to be written.
TEST_F(on_a_cluster, what_waits_for_an_hpa_that_cannot_be_read_goes_on_once_that_is_gone) {
    const std::string deep = std::string(2'000, '[') + std::string(2'000, ']');
    put_scaler(our_mark, false);
    server.put("horizontalpodautoscalers", "odd", "", R"("spec":)" + deep);
    server.load = 22;
    attach();
    EXPECT_NE(cluster->describe().find(R"("reason":"unseen")"), std::string::npos) << cluster->describe();
    server.load = 1;
    run(5'000);
    EXPECT_NE(cluster->describe().find(R"("reason":"unseen")"), std::string::npos) << cluster->describe();
    drop_hpa();
    run(5'000);
    EXPECT_EQ(cluster->describe().find(R"("reason":"unseen")"), std::string::npos) << cluster->describe();
    EXPECT_TRUE(server.sizes.empty());
}

// When the size of another controller is a difference.

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
