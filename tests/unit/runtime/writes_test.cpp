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

}  // namespace
}  // namespace gputide::runtime
