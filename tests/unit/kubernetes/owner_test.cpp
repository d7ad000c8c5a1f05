// Tests that what belongs to another is not touched, whatever else is wrong with it meanwhile; what KEDA has just taken is KEDA's.
#include "kubernetes/controller/reconciler.hpp"
#include "on_a_cluster.hpp"

namespace gputide::kubernetes {
namespace {

constexpr const char* anothers_mark = R"("gputide.io/owner":"another")";

TEST(block_state, another_owner_is_shown_first_and_outlives_problems) {
    block_state held;
    EXPECT_FALSE(held.is_blocked());
    EXPECT_TRUE(held.set_owner(block_reason::not_owner, "another's"));
    EXPECT_FALSE(held.set_problem(block_reason::no_target, "not there")) << "it does not show";
    EXPECT_EQ(held.reason(), block_reason::not_owner);
    EXPECT_EQ(held.problem(), block_reason::no_target);
    EXPECT_FALSE(held.set_problem(block_reason::none, {}));
    EXPECT_TRUE(held.has_other_owner());
    EXPECT_FALSE(held.set_problem(block_reason::refused, "an error"));
    EXPECT_TRUE(held.set_owner(block_reason::none, {}));
    EXPECT_EQ(held.why(), "an error");
    EXPECT_TRUE(held.set_problem(block_reason::none, {}));
    EXPECT_FALSE(held.is_blocked());
}

using anothers = on_a_cluster;

TEST_F(anothers, stays_so_where_its_target_is_made_anew) {
    put_scaler(anothers_mark, false);
    server.load = 22;
    attach();
    server.drop("deployments");
    run(2'000);
    server.resize(1);
    run(10'000);
    EXPECT_TRUE(server.sizes.empty());
    EXPECT_EQ(server.statuses, 0);
    EXPECT_NE(cluster->describe().find(R"("reason":"not_owner")"), std::string::npos) << cluster->describe();
    put_scaler({}, false);
    run(5'000);
    EXPECT_EQ(server.size(), 5) << "once it is ours";
}

TEST_F(anothers, stays_so_where_its_size_could_not_be_read_for_a_moment) {
    put_lws_scaler(anothers_mark);
    server.load = 22;
    attach();
    server.fail_scale_reads = 1;
    server.resize(1);
    run(20'000);
    EXPECT_EQ(server.fail_scale_reads, 0);
    EXPECT_TRUE(server.sizes.empty());
}

TEST_F(anothers, stays_so_where_its_manifest_has_an_error) {
    put_scaler(anothers_mark, false, -1);
    attach();
    EXPECT_NE(cluster->describe().find(R"("reason":"not_owner")"), std::string::npos) << cluster->describe();
    put_scaler({}, false, -1);
    run(3'000);
    EXPECT_NE(cluster->describe().find(R"("reason":"refused")"), std::string::npos) << cluster->describe();
}

TEST_F(on_a_cluster, a_custom_resource_whose_size_could_not_be_read_is_read_again) {
    server.fail_scale_reads = 2;
    put_lws_scaler();
    server.load = 22;
    attach();
    EXPECT_NE(cluster->describe().find(R"("reason":"unseen")"), std::string::npos) << cluster->describe();
    run(30'000);
    EXPECT_EQ(server.size(), 5) << "nothing else tells of it while it rests";
}

// KEDA's operator adds its finalizer, and makes its HPA a moment later.
TEST_F(on_a_cluster, what_keda_has_just_taken_waits_for_its_hpa) {
    put_scaler({}, false);
    attach();
    server.load = 22;
    put_scaler();
    run(10'000);
    EXPECT_TRUE(server.sizes.empty());
    EXPECT_TRUE(is_contested());
}

// Between a release and KEDA's HPA gputide may start, or a shard may move.
TEST_F(on_a_cluster, what_is_seen_first_with_kedas_finalizer_waits_for_its_hpa) {
    put_scaler();
    server.load = 22;
    attach();
    run(50'000);
    EXPECT_TRUE(server.sizes.empty());
    EXPECT_TRUE(is_contested());
    run(15'000);
    EXPECT_EQ(server.size(), 5) << "a KEDA that is gone leaves its finalizers behind";
}

struct with_another_of_kedas : on_a_cluster {
    void SetUp() override {
        on_a_cluster::SetUp();
        put_scaler({}, true);
        put_hpa();
        attach();
        server.rename("scaledobjects", "llm", "older");
        run(1'000);
        server.load = 22;
    }
};

TEST_F(with_another_of_kedas, a_new_one_waits_whether_keda_takes_it) {
    drop_hpa();
    put_scaler({}, false);
    run(9'000);
    EXPECT_TRUE(server.sizes.empty()) << "KEDA may be about to take it";
    run(5'000);
    EXPECT_EQ(server.size(), 5);
}

TEST_F(with_another_of_kedas, a_new_one_that_is_marked_as_ours_waits_for_nobody) {
    drop_hpa();
    put_scaler(our_mark, false);
    run(3'000);
    EXPECT_EQ(server.size(), 5);
}

struct scaled_job_of_anothers : on_a_cluster {
    int created = 0;

    void put_job(const std::string& fields, int generation, const std::string& trigger) {
        put_scaled_job(trigger, 20, R"(,"generation":)" + std::to_string(generation) + fields);
    }
    void expect_none_is_created(const std::string& fields) {
        const std::string readable = prometheus("http://127.0.0.1:9090", "q", "1");
        server.on_asked = [this](const http::request& asked) {
            if (asked.method == "POST" && asked.url.find("/jobs") != std::string::npos) ++created;
        };
        server.load = 5;
        put_job(fields, 1, readable);
        attach();
        run(3'000);
        EXPECT_EQ(created, 0);
        put_job(fields, 2, R"({"type":"a-type-of-kedas-alone","metadata":{"threshold":"1"}})");
        run(5'000);
        EXPECT_EQ(created, 0) << cluster->describe();
        put_job({}, 3, readable);
        run(3'000);
        EXPECT_EQ(created, 5) << "once it is ours";
    }
};

TEST_F(scaled_job_of_anothers, creates_nothing_where_keda_has_it_and_its_manifest_has_an_error_here) {
    expect_none_is_created(R"(,"finalizers":["finalizer.keda.sh"])");
}

TEST_F(scaled_job_of_anothers, creates_nothing_where_another_gputide_has_it_and_its_manifest_has_an_error_here) {
    expect_none_is_created(R"(,"annotations":{"gputide.io/owner":"another"})");
}

TEST_F(on_a_cluster, the_original_size_is_the_one_that_was_seen_first) {
    std::string first, last;
    server.refuse_statuses = 1;
    server.on_asked = [&](const http::request& asked) {
        if (asked.method != "PATCH" || asked.url.find("/scaledobjects/llm/status") == std::string::npos) return;
        last = std::string(asked.body.reveal());
        if (first.empty()) first = last;
    };
    put_scaler({}, false);
    server.load = 22;
    attach();
    run(60'000);
    EXPECT_EQ(server.size(), 5);
    EXPECT_NE(first, last);
    for (const std::string& patch : {first, last})
        EXPECT_NE(patch.find(R"("originalReplicaCount":1,)"), std::string::npos) << patch;
}

TEST_F(on_a_cluster, nobody_stops_a_scaler_for_longer_than_a_minute) {
    server.refuse_writes = 1;  // a gateway, in maintenance for an hour
    put_scaler({}, false);
    server.load = 22;
    attach();
    run(50'000);
    EXPECT_EQ(server.refuse_writes, 0);
    EXPECT_TRUE(server.sizes.empty());
    run(20'000);
    EXPECT_EQ(server.size(), 5);
}

}  // namespace
}  // namespace gputide::kubernetes
