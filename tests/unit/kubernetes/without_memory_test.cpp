// Tests that what acts on a cluster goes on after a failed allocation: sizes, statuses, secrets, Jobs, and sizes that are given back.
#include "on_a_cluster.hpp"
#include "support/failing_allocation.hpp"

namespace gputide::kubernetes {
namespace {

struct out_of_memory : on_a_cluster {
    void loses_answer(const std::string& method, const std::string& part) {
        clusters_loop->lost_method = method;
        clusters_loop->lost = part;
    }
    // `asked` counts such requests from now on.
    void count(const std::string& method, const std::string& part) {
        asked = 0;
        server.on_asked = [this, method, part](const http::request& request) {
            if (request.method == method && request.url.find(part) != std::string::npos) ++asked;
        };
    }
    // The next request to such an address is never sent.
    void refuses(const std::string& part) {
        server.on_asked = [part, is_refused = false](const http::request& request) mutable {
            if (is_refused || request.url.find(part) == std::string::npos) return;
            is_refused = true;
            throw std::bad_alloc();
        };
    }

    // Takes what the watch has brought, without that allocation.  True: it was come to.
    bool takes_without(int allocation) {
        bool was_reached = false;
        clusters_loop->runs_next = [&](const callback<void()>& take) {
            was_reached = testing::lacks_allocation(allocation, [&] { take(); });
        };
        loop->advance(0);
        return was_reached;
    }

    int asked = 0;
};

struct without_memory : out_of_memory {
    void SetUp() override {
        on_a_cluster::SetUp();
        put_scaler({}, false);
    }
};

TEST_F(without_memory, a_decision_that_found_none_is_taken_with_the_next_one) {
    attach();
    server.load = 22;
    on_decision = [this] { clusters_loop->lacks_timer = true; };
    EXPECT_THROW(run(5'000), std::bad_alloc);
    on_decision = [] {};
    run(120'000);  // until the fleet has given the poll up that it cut off
    EXPECT_EQ(server.size(), 5);
}

TEST_F(without_memory, a_write_that_found_none_is_begun_again) {
    attach();
    server.load = 22;
    refuses("/llm/scale");
    EXPECT_THROW(run(5'000), std::bad_alloc);
    run(90'000);
    EXPECT_EQ(server.size(), 5);
}

TEST_F(without_memory, a_write_whose_answer_found_none_is_given_up) {
    for (const char* method : {"GET", "PUT"}) {
        SCOPED_TRACE(method);
        if (!cluster) attach();
        loses_answer(method, "/llm/scale");
        server.load = server.load < 20 ? 22 : 42;
        EXPECT_THROW(run(5'000), std::bad_alloc);
        run(90'000);
        EXPECT_EQ(server.size(), server.load < 30 ? 5 : 9);
        server.load = server.load < 30 ? 32 : 12;
        run(5'000);
        EXPECT_EQ(server.size(), server.load > 20 ? 7 : 3);
    }
}

TEST_F(without_memory, a_status_whose_answer_found_none_gives_its_place_back) {
    loses_answer("PATCH", "/llm/status");
    EXPECT_THROW(attach(), std::bad_alloc);
    EXPECT_EQ(server.statuses, 1);
    run(100'000);
    EXPECT_GE(server.statuses, 2);
}

TEST_F(without_memory, a_manifest_is_taken_whichever_allocation_it_lacks) {
    attach();
    server.load = 100;
    int allocation = 0;
    for (bool was_reached = true; was_reached; ++allocation) {
        const std::int32_t most = allocation % 2 == 0 ? 4 : 6;
        put_scaler({}, false, most);
        was_reached = takes_without(allocation);
        run(10'000);
        EXPECT_EQ(server.size(), most) << allocation;
    }
    EXPECT_GT(allocation, 20);
}

TEST_F(out_of_memory, a_secret_whose_answer_found_none_is_asked_for_again) {
    server.put("triggerauthentications", "auth", "",
               R"("spec":{"secretTargetRef":[{"parameter":"bearerToken","name":"token","key":"k"}]})");
    server.put(
        "scaledobjects", "llm", "",
        R"("spec":{"scaleTargetRef":{"name":"llm"},"triggers":[{"type":"prometheus","authenticationRef":)"
        R"({"name":"auth"},"metadata":{"serverAddress":"http://127.0.0.1:9090","query":"q","threshold":"1"}}]})");
    loses_answer("GET", "/secrets/token");
    EXPECT_THROW(attach(), std::bad_alloc);
    count("GET", "/secrets/token");
    run(100'000);
    EXPECT_GT(asked, 0);
}

// Being deleted, and asking for its first size back.
struct restoring_without_memory : out_of_memory {
    void SetUp() override {
        on_a_cluster::SetUp();
        server.resize(7);
        server.put("scaledobjects", "llm",
                   R"(,"finalizers":["gputide.io/restore"],"deletionTimestamp":"2026-03-01T10:00:00Z")",
                   R"("spec":{"scaleTargetRef":{"name":"llm"},"advanced":{"restoreToOriginalReplicaCount":true},)"
                   R"("triggers":[]},"status":{"originalReplicaCount":3})");
    }
};

TEST_F(restoring_without_memory, a_step_that_found_none_is_taken_again) {
    refuses("/llm/scale");
    EXPECT_THROW(attach(), std::bad_alloc);
    count("PATCH", "/scaledobjects/llm");
    run(100'000);
    EXPECT_EQ(server.sizes, std::vector<std::int32_t>{3});
    EXPECT_GT(asked, 0) << "the finalizer goes";
}

TEST_F(restoring_without_memory, a_step_whose_answer_found_none_is_given_up) {
    for (const auto& [method, part] : {std::pair("GET", "/llm/scale"), std::pair("PUT", "/llm/scale")}) {
        SCOPED_TRACE(method);
        loses_answer(method, part);
        if (cluster) {
            cluster->end([] {});
            loop->advance(1'000);
            server.resize(7);
        }
        EXPECT_THROW(attach(), std::bad_alloc);
        count("PATCH", "/scaledobjects/llm");
        run(100'000);
        EXPECT_EQ(server.size(), 3);
        EXPECT_GT(asked, 0) << "the finalizer goes";
    }
}

TEST_F(restoring_without_memory, a_finalizer_whose_answer_found_none_is_patched_again) {
    loses_answer("PATCH", "/scaledobjects/llm");
    EXPECT_THROW(attach(), std::bad_alloc);
    count("PATCH", "/scaledobjects/llm");
    run(100'000);
    EXPECT_GT(asked, 0);
}

struct jobs_without_memory : out_of_memory {
    void SetUp() override {
        on_a_cluster::SetUp();
        put_job("q");
        server.load = 0;
    }
    void put_job(const std::string& query) { put_scaled_job(prometheus("http://127.0.0.1:9090", query), 2, {}, 5); }
};

TEST_F(jobs_without_memory, a_manifest_is_taken_whichever_allocation_it_lacks) {
    attach();
    int allocation = 0;
    for (bool was_reached = true; was_reached; ++allocation) {
        put_job(allocation % 2 == 0 ? "even" : "odd");
        was_reached = takes_without(allocation);
        count("GET", allocation % 2 == 0 ? "query=even" : "query=odd");
        run(10'000);
        EXPECT_GT(asked, 0) << allocation;
    }
    EXPECT_GT(allocation, 20);
}

TEST_F(jobs_without_memory, a_status_that_found_none_is_written_again) {
    refuses("/train/status");
    EXPECT_THROW(attach(), std::bad_alloc);
    run(100'000);
    EXPECT_GT(server.statuses, 0);
}

TEST_F(jobs_without_memory, a_status_whose_answer_found_none_is_given_up) {
    loses_answer("PATCH", "/train/status");
    EXPECT_THROW(attach(), std::bad_alloc);
    EXPECT_EQ(server.statuses, 1);
    run(100'000);
    EXPECT_GE(server.statuses, 2);
}

TEST_F(jobs_without_memory, a_poll_that_found_none_is_given_up) {
    refuses("/query");
    EXPECT_THROW(attach(), std::bad_alloc);
    server.load = 22;
    count("POST", "/jobs");
    run(100'000);
    EXPECT_GT(asked, 0);
}

TEST_F(jobs_without_memory, a_job_whose_answer_found_none_is_asked_for_again) {
    server.load = 22;
    loses_answer("POST", "/jobs");
    EXPECT_THROW(attach(), std::bad_alloc);
    count("POST", "/jobs");
    run(100'000);
    EXPECT_GT(asked, 0);
}

}  // namespace
}  // namespace gputide::kubernetes
