// Jobs that were created and that no watch has brought: they are there, as long as it is not known that they are not.
#include "on_a_cluster.hpp"

namespace gputide::kubernetes {
namespace {

struct unseen_jobs : on_a_cluster {
    int created = 0;

    void SetUp() override {
        on_a_cluster::SetUp();
        server.on_asked = [this](const http::request& asked) {
            if (asked.method == "POST" && asked.url.find("/jobs") != std::string::npos) ++created;
        };
        put_scaled_job(prometheus("http://127.0.0.1:9090", "q"), 8, R"(,"generation":1)");
        attach();
        run(2'000);
    }
};

TEST_F(unseen_jobs, are_not_created_again_while_the_server_refuses_to_tell) {
    server.unreadable = "jobs";
    server.load = 22;
    run(1'000'000);
    EXPECT_EQ(created, 5);
}

TEST_F(unseen_jobs, are_gone_where_a_watch_at_work_has_not_brought_them) {
    server.load = 22;
    run(320'000);
    EXPECT_EQ(created, 5);
    server.put("jobs", "anothers", "", R"("spec":{})");  // something is heard
    run(20'000);
    EXPECT_EQ(created, 10);
}

}  // namespace
}  // namespace gputide::kubernetes
