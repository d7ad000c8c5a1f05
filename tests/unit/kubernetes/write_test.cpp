// One size on its way: what is sent, with which version, and what each answer comes to.
#include "kubernetes/scale/writer.hpp"
#include "support.hpp"

namespace gputide::kubernetes {
namespace {

using testing::scale_body;
using testing::scripted;
using testing::scripted_answer;
using testing::status_body;

class Write : public ::testing::Test, protected testing::api_world {
  protected:
    bool may_write = true;
    int looks = 0;
    int lose_at = 0;  // the look at which the lead is gone; 0: never
    wanted_size wanted{2, 5, "u1"};

    written run() {
        resource of;
        of.group = "apps";
        of.version = "v1";
        of.plural = "deployments";
        std::optional<written> out;
        write_guard guard;
        guard.may_write = [this] { return may_write && ++looks != lose_at; };
        write_scale(api, of, {"ml", "llm"}, wanted, guard, [&](written got) { out = std::move(got); });
        loop->run_until_idle();
        EXPECT_TRUE(out);
        return out.value_or(written());
    }
    std::size_t puts() const {
        std::size_t count = 0;
        for (const auto& request : loop->requests()) count += request.what.method == "PUT" ? 1U : 0U;
        return count;
    }
};

TEST_F(Write, ReadsThenWritesWithThatVersion) {
    loop->answer_next(scripted(200, scale_body(2, "41")));
    loop->answer_next(scripted(200, scale_body(5, "42")));
    const written got = run();
    EXPECT_EQ(got.result, write_result::applied);
    EXPECT_EQ(got.resource_version, "42");
    EXPECT_EQ(asked(),
              (std::vector<std::string>{"GET /apis/apps/v1/namespaces/ml/deployments/llm/scale",
                                        "PUT /apis/apps/v1/namespaces/ml/deployments/llm/scale?fieldManager=gputide"}));
    EXPECT_EQ(body(1), R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"llm","namespace":"ml",)"
                       R"("uid":"u1","resourceVersion":"41"},"spec":{"replicas":5}})");
}

TEST_F(Write, NothingIsWrittenOverAScaleWithoutAVersion) {
    loop->answer_next(scripted(200, scale_body(2, "")));
    const written got = run();
    EXPECT_EQ(got.result, write_result::failed);
    EXPECT_NE(got.why.message.find("no metadata.resourceVersion"), std::string::npos) << got.why.message;
    EXPECT_EQ(puts(), 0U);
}

// A count that is left out means 0 in both directions; it is never left out here.
TEST_F(Write, ZeroIsWrittenOut) {
    wanted = {0, 0, ""};
    wanted.to = 1;
    loop->answer_next(scripted(200, scale_body(0, "41")));
    loop->answer_next(scripted(200, scale_body(1, "42")));
    EXPECT_EQ(run().result, write_result::applied);
    wanted = {1, 0, "u1"};
    loop->answer_next(scripted(200, scale_body(1, "42")));
    loop->answer_next(scripted(200, scale_body(0, "43")));
    EXPECT_EQ(run().result, write_result::applied);
    EXPECT_NE(body(3).find(R"("spec":{"replicas":0})"), std::string::npos);
}

TEST_F(Write, AConflictOverTheSameSizeIsRepeatedWithTheNewVersion) {
    loop->answer_next(scripted(200, scale_body(2, "41")));
    loop->answer_next(scripted(409, status_body(409, "Conflict")));
    loop->answer_next(scripted(200, scale_body(2, "44")));
    loop->answer_next(scripted(200, scale_body(5, "45")));
    const written got = run();
    EXPECT_EQ(got.result, write_result::applied);
    EXPECT_EQ(got.conflicts, 1);
    EXPECT_NE(body(3).find(R"("resourceVersion":"44")"), std::string::npos);
}

TEST_F(Write, AConflictWithSomebodyWhoScaledIsGivenUp) {
    loop->answer_next(scripted(200, scale_body(2, "41")));
    loop->answer_next(scripted(409, status_body(409, "Conflict")));
    loop->answer_next(scripted(200, scale_body(9, "44")));
    const written got = run();
    EXPECT_EQ(got.result, write_result::changed);
    EXPECT_EQ(got.size, 9);
    EXPECT_EQ(puts(), 1U);
}

TEST_F(Write, ThreeConflictsAreEnough) {
    loop->answer_with([](const http::request& what) {
        return what.method == "GET" ? scripted(200, scale_body(2, "41")) : scripted(409, status_body(409, "Conflict"));
    });
    EXPECT_EQ(run().result, write_result::conflict);
    EXPECT_EQ(puts(), 3U);
    EXPECT_EQ(loop->delays().back(), 0);
}

TEST_F(Write, AnOpenOutcomeIsReadBeforeItIsRepeated) {
    for (const std::int32_t code : {500, 504}) {
        loop->answer_next(scripted(200, scale_body(2, "41")));
        loop->answer_next(scripted(code, status_body(code, "")));
        loop->answer_next(scripted(200, scale_body(5, "42")));  // it has happened
        const std::size_t before = puts();
        EXPECT_EQ(run().result, write_result::applied) << code;
        EXPECT_EQ(puts(), before + 1);
    }
    loop->answer_next(scripted(200, scale_body(2, "41")));
    loop->answer_next(testing::scripted_fault(http::fault::reset));
    loop->answer_next(scripted(200, scale_body(2, "41")));  // it has not
    loop->answer_next(scripted(200, scale_body(5, "42")));
    EXPECT_EQ(run().result, write_result::applied);
}

TEST_F(Write, OtherAnswersEndIt) {
    const std::vector<std::pair<std::int32_t, write_result>> ends = {{403, write_result::denied},
                                                                     {404, write_result::held},
                                                                     {410, write_result::failed},
                                                                     {422, write_result::refused},
                                                                     {429, write_result::throttled}};
    for (const auto& [code, result] : ends) {
        loop->answer_next(scripted(200, scale_body(2, "41")));
        loop->answer_next(scripted(code, status_body(code, "X")));
        const written got = run();
        EXPECT_EQ(got.result, result) << code;
        EXPECT_NE(got.why.status, status::ok);
    }
    loop->answer_next(scripted(404, status_body(404, "NotFound")));
    EXPECT_EQ(run().result, write_result::held);
}

TEST_F(Write, AnotherWorkloadOfTheSameNameIsNotTouched) {
    loop->answer_next(scripted(200, scale_body(2, "41", "u2")));
    EXPECT_EQ(run().result, write_result::changed);
    EXPECT_EQ(puts(), 0U);
}

TEST_F(Write, WithoutTheLeadNothingIsSent) {
    may_write = false;
    EXPECT_EQ(run().result, write_result::no_lead);
    EXPECT_TRUE(asked().empty());
}

// The guard is asked at the beginning, after the read, before the PUT, and after it.
TEST_F(Write, ALeadLostOnTheWayStopsThePut) {
    for (lose_at = 2; lose_at <= 3; ++lose_at) {
        looks = 0;
        loop->answer_next(scripted(200, scale_body(2, "41")));
        EXPECT_EQ(run().result, write_result::no_lead) << lose_at;
        EXPECT_EQ(puts(), 0U);
    }
    looks = 0;
    loop->answer_next(scripted(200, scale_body(2, "41")));
    loop->answer_next(scripted(200, scale_body(5, "42")));
    EXPECT_EQ(run().result, write_result::late);
}

// Waits behind writes of the same namespace that take longer than a PUT may.
class WriteThatWaits : public ::testing::Test, protected testing::api_world {
  protected:
    static constexpr std::int64_t slow_ms = 90'000;

    void SetUp() override {
        loop->answer_with([](const http::request& request) {
            scripted_answer out = scripted(200, scale_body(request.method == "GET" ? 2 : 5, "41"));
            if (request.url.find("/slow/") != std::string::npos) out.delay_ms = slow_ms;
            return out;
        });
        for (std::size_t i = 0; i < max_of_tenant(lane::write, true); ++i) {
            api_request slow;
            slow.target = deployments().scale({"ml", "slow"}, "update");
            slow.method = "PUT";
            slow.timeout_ms = slow_ms + 1'000;
            api->send(slow.target, always(slow), [](const reply&) {});
        }
        write_guard guard;
        guard.may_write = [this] { return may_write; };
        guard.is_wanted = [this] { return is_wanted; };
        writing = write_scale(api, deployments(), {"ml", "llm"}, {2, 5, "u1"}, guard,
                              [this](written last) { got = std::move(last); });
        loop->advance(slow_ms - 1'000);
    }
    static resource deployments() { return known_resource("apps", "v1", "deployments"); }

    bool may_write = true, is_wanted = true;
    std::shared_ptr<api_operation<written>> writing;
    std::optional<written> got;
};

TEST_F(WriteThatWaits, IsUnderWayAndIsWrittenInTheEnd) {
    EXPECT_FALSE(got);
    EXPECT_TRUE(writing->is_pending(loop->steady_ms()));
    loop->advance(2'000);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->result, write_result::applied);
    EXPECT_EQ(got->puts, 1);
    EXPECT_FALSE(writing->is_pending(loop->steady_ms()));
}

// Neither is a failure.
TEST_F(WriteThatWaits, IsNotSentWithoutTheLead) {
    may_write = false;
    loop->advance(2'000);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->result, write_result::no_lead);
    EXPECT_EQ(got->puts, 0);
}

TEST_F(WriteThatWaits, IsNotSentWhereItIsNotWantedAnyMore) {
    is_wanted = false;
    loop->advance(2'000);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->result, write_result::changed);
    EXPECT_EQ(got->puts, 0);
}

}  // namespace
}  // namespace gputide::kubernetes
