// Whether a size is written, where somebody else scales too.
#include "on_a_cluster.hpp"

namespace gputide::runtime {
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

}  // namespace
}  // namespace gputide::runtime
