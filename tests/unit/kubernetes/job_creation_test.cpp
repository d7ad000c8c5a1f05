// Tests what a Job of a ScaledJob is called, what of its template is taken over, and which Job belongs to which object.

#include "kubernetes/api/resources.hpp"
#include "kubernetes/controller/job_objects.hpp"
#include "on_a_cluster.hpp"
#include "support/answers.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace gputide::kubernetes {
namespace {

manifest::scaled_job scaled_job(const std::string& name = "train") {
    manifest::scaled_job out;
    out.name = name;
    out.name_space = "ml";
    out.uid = "9d1c";
    out.generation = 3;
    return out;
}

TEST(JobCreation, EachNumberHasANameOfItsOwn) {
    constexpr std::int64_t count = 20'000;
    std::set<std::string> names;
    for (std::int64_t ordinal = 1; ordinal <= count; ++ordinal) names.insert(job_name(scaled_job(), ordinal));
    EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(names.begin()->substr(0, 6), "train-");
    EXPECT_EQ(names.begin()->size(), 11U);
    EXPECT_EQ(job_name(scaled_job(), 7), job_name(scaled_job(), 7));
    EXPECT_EQ(job_name(scaled_job(std::string(63, 'a')), 1).size(), 63U);
}

TEST(JobCreation, TheTemplateIsTakenOverButForWhatKedaSets) {
    const auto body = job_body(
        scaled_job(),
        R"({"parallelism":2,"template":{"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}},"spec":{"nodeName":"n"}}})",
        4);
    ASSERT_TRUE(body);
    EXPECT_NE(body->find(R"("parallelism":2)"), std::string::npos);
    EXPECT_NE(body->find(R"("annotations":{"c":"d"},"generateName":"train-")"), std::string::npos);
    EXPECT_NE(body->find(R"("spec":{"nodeName":"n","restartPolicy":"OnFailure"})"), std::string::npos);
    EXPECT_NE(body->find(R"("gputide.io/ordinal":"4","scaledjob.keda.sh/generation":"3")"), std::string::npos);
    EXPECT_FALSE(job_body(scaled_job(), "", 1));
    EXPECT_FALSE(job_body(scaled_job(), R"({"template":"none"})", 1));
}

TEST(Membership, WhoGoesIsKnownByHisKeyAlone) {
    membership all;
    all.put({"ml", "train-1"}, {"ml", "train"});
    all.put({"ml", "train-2"}, {"ml", "train"});
    EXPECT_EQ(all.members({"ml", "train"}).size(), 2U);
    all.put({"ml", "train-2"}, {"ml", "other"});
    EXPECT_EQ(all.members({"ml", "train"}).size(), 1U);
    all.drop({"ml", "train-1"});
    all.drop({"ml", "train-1"});
    EXPECT_TRUE(all.members({"ml", "train"}).empty());
}

// Behind POSTs of the same namespace that take longer than one may.
struct job_creation_that_waits : ::testing::Test {
    static constexpr std::int64_t slow_ms = 90'000;

    void SetUp() override {
        loop->answer_with([this](const http::request& request) {
            auto out = testing::scripted(request.method == "DELETE" ? 200 : 201, "{}");
            const bool is_slow = request.body.reveal() == "slow";
            if (is_slow) out.delay_ms = slow_ms;
            if (!is_slow) ++sent;
            return out;
        });
        kubernetes::api_request slow;
        slow.target = kubernetes::known_resource("batch", "v1", "jobs").collection("ml");
        slow.method = "POST";
        slow.body = "slow";
        slow.timeout_ms = slow_ms + 1'000;
        for (std::size_t i = 0; i < kubernetes::max_of_tenant(kubernetes::lane::job, true); ++i)
            api->send(slow.target, kubernetes::always(slow), [](const kubernetes::reply&) {});
        guard.may_write = [this] { return may_write; };
    }
    void create() {
        created = create_job(api, scaled_job(), "{}", 1, guard, [this](const creation& got) { result = got.result; });
        loop->advance(slow_ms - 1'000);
        EXPECT_FALSE(result);
        EXPECT_TRUE(created->is_pending(loop->steady_ms()));
    }

    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::shared_ptr<kubernetes::api> api = std::make_shared<kubernetes::api>(
        loop, kube::access{"https://api.test:6443", "own", true, auth::authenticator()});
    kubernetes::write_guard guard;
    std::shared_ptr<kubernetes::api_operation<creation>> created;
    std::optional<creation_result> result;
    bool may_write = true;
    int sent = 0;
};

TEST_F(job_creation_that_waits, is_sent_in_the_end) {
    create();
    loop->advance(2'000);
    EXPECT_EQ(result, creation_result::created);
    EXPECT_EQ(sent, 1);
}

TEST_F(job_creation_that_waits, is_not_sent_without_the_lead) {
    create();
    may_write = false;
    loop->advance(2'000);
    EXPECT_EQ(result, creation_result::no_lead);
    EXPECT_EQ(sent, 0);
}

TEST_F(job_creation_that_waits, and_so_is_a_deletion) {
    std::optional<deletion_result> deletion;
    const auto take = [&](const deleted_job& got) { deletion = got.result; };
    const auto first = delete_job(api, {"ml", "train-1"}, "u1", "Background", guard, take);
    loop->advance(slow_ms + 1'000);
    EXPECT_EQ(deletion, deletion_result::deleted);
    may_write = false;
    const auto second = delete_job(api, {"ml", "train-1"}, "u1", "Background", guard, take);
    loop->advance(1'000);
    EXPECT_EQ(deletion, deletion_result::no_lead);
    EXPECT_EQ(sent, 1);
}

// Jobs that were created and that no watch has brought: they are there, as long as it is not known that they are not.

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
