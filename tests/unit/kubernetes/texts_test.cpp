// The Secrets that ScaledObjects need: how many are read, when, and of what their users are told.
#include "kubernetes/controller/texts.hpp"

#include "kubernetes/api/resources.hpp"
#include "on_a_cluster.hpp"

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t answer_ms = 100;

std::string authentication_naming(std::size_t secrets) {
    std::string out;
    for (std::size_t i = 0; i < secrets; ++i) {
        out += std::string(out.empty() ? "" : ",") + R"({"parameter":"p)" + std::to_string(i) + R"(","name":"s)" +
               std::to_string(i) + R"(","key":"k"})";
    }
    return R"("spec":{"secretTargetRef":[)" + out + "]}";
}

// A TriggerAuthentication ml/auth, and an API server that takes answer_ms for each Secret.
struct texts_of_secrets : ::testing::Test {
    void begin(std::size_t secrets) {
        loop->answer_with([this, secrets](const http::request& asked) { return answer(asked, secrets); });
        texts.authentications().watch(api, kubernetes::kedas("triggerauthentications").collection("ml"), "ml");
        loop->advance(1);
        scaled_object.facts.key = {"ml", "llm"};
        scaled_object.authentications = {{"auth", false}};
        scaled_object.manifest = "{}";
    }
    testing::scripted_answer answer(const http::request& asked, std::size_t secrets) {
        if (asked.stream) {
            auto out = testing::scripted(200, "");
            out.delay_ms = 1'000'000'000;
            return out;
        }
        if (asked.url.find("/triggerauthentications") != std::string::npos)
            return testing::scripted(200, R"({"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"auth",)"
                                          R"("namespace":"ml","resourceVersion":"7"},)" +
                                              authentication_naming(secrets) + "}]}");
        ++asked_for;
        ++under_way;
        max_under_way = std::max(max_under_way, under_way);
        loop->after(answer_ms, [this] { --under_way; });
        auto out = is_missing
                       ? testing::scripted(404, R"({"kind":"Status","code":404,"reason":"NotFound"})")
                       : testing::scripted(200, R"({"metadata":{"name":"s","namespace":"ml"},"data":{"k":"dg=="}})");
        out.delay_ms = answer_ms;
        return out;
    }

    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::shared_ptr<kubernetes::api> api = std::make_shared<kubernetes::api>(
        loop, kube::access{"https://api.test:6443", "own", true, auth::authenticator()});
    bool is_missing = false;
    int asked_for = 0, under_way = 0, max_under_way = 0, told = 0;
    std::set<std::string> users;  // that were told
    kubernetes::scaled_object scaled_object;
    text_store texts{api,
                     "keda",
                     {},
                     [] {},
                     [this](const manifest::object_identity& user) {
                         ++told;
                         users.insert(user.text());
                     }};
};

TEST_F(texts_of_secrets, are_read_a_few_at_a_time_and_told_of_once) {
    begin(max_stores);
    EXPECT_FALSE(texts.texts_of(scaled_object).is_complete);
    loop->advance(4'000);  // less than until a missing one is asked for again
    EXPECT_EQ(asked_for, static_cast<int>(max_stores));
    EXPECT_LE(max_under_way, 8);
    EXPECT_EQ(told, 1) << "when the last one has come";
    const scaler_texts got = texts.texts_of(scaled_object);
    EXPECT_TRUE(got.is_complete);
    EXPECT_EQ(got.documents.size(), 2U + max_stores);
}

TEST_F(texts_of_secrets, that_are_missing_are_told_of_once) {
    is_missing = true;
    begin(max_stores);
    EXPECT_FALSE(texts.texts_of(scaled_object).is_complete);
    loop->advance(4'000);  // less than until a missing one is asked for again
    EXPECT_EQ(told, 1);
    EXPECT_LE(max_under_way, 8);
    const scaler_texts got = texts.texts_of(scaled_object);
    EXPECT_TRUE(got.is_complete);
    EXPECT_EQ(got.why.http_status, 404);
    EXPECT_EQ(asked_for, static_cast<int>(max_stores)) << "asked for again after some seconds alone";
}

TEST_F(texts_of_secrets, beyond_the_bound_are_not_read_at_all) {
    begin(10'000);
    const scaler_texts got = texts.texts_of(scaled_object);
    EXPECT_TRUE(got.is_complete);
    EXPECT_TRUE(got.is_over_bound);
    EXPECT_NE(got.why.message.find("more than 64 Secrets, ConfigMaps and tokens"), std::string::npos)
        << got.why.message;
    loop->advance(60'000);
    EXPECT_EQ(asked_for, 0);
}

TEST_F(texts_of_secrets, of_a_scaled_object_and_a_scaled_job_of_one_name_are_apart) {
    begin(max_stores);
    kubernetes::scaled_object scaled_job = scaled_object;
    scaled_job.kind = manifest::document_kind::scaled_job;
    EXPECT_FALSE(texts.texts_of(scaled_object).is_complete);
    EXPECT_FALSE(texts.texts_of(scaled_job).is_complete);
    EXPECT_EQ(texts.waiting(), 2U);
    loop->advance(4'000);
    EXPECT_EQ(told, 2) << "each once";
    EXPECT_EQ(users, (std::set<std::string>{"ScaledObject ml/llm", "ScaledJob ml/llm"}));
    EXPECT_EQ(texts.waiting(), 0U);
}

TEST_F(texts_of_secrets, are_not_awaited_for_what_is_gone) {
    begin(max_stores);
    EXPECT_FALSE(texts.texts_of(scaled_object).is_complete);
    texts.forget(scaled_object.identity());
    EXPECT_EQ(texts.waiting(), 0U);
}

struct many_secrets : on_a_cluster {};

TEST_F(many_secrets, hold_what_names_them_until_they_are_fewer) {
    server.put("triggerauthentications", "auth", "", authentication_naming(10'000));
    const auto put = [this] {
        server.put("scaledobjects", "llm", R"(,"annotations":{"gputide.io/sync-period":"1s"})",
                   R"("spec":{"scaleTargetRef":{"name":"llm"},"pollingInterval":1,"minReplicaCount":1,)"
                   R"("maxReplicaCount":20,"triggers":[{"type":"prometheus","authenticationRef":{"name":"auth"},)"
                   R"("metadata":{"serverAddress":"http://127.0.0.1:9090","query":"q","threshold":"5"}}]})");
    };
    put();
    attach();
    EXPECT_NE(cluster->describe().find("more than 64 Secrets, ConfigMaps and tokens"), std::string::npos)
        << cluster->describe();
    server.load = 22;
    run(10'000);
    EXPECT_EQ(server.size(), 1);
    server.put("triggerauthentications", "auth", "", R"("spec":{})");
    run(10'000);
    EXPECT_EQ(server.size(), 5);
}

TEST_F(many_secrets, hold_a_scaled_job_that_names_them) {
    server.put("triggerauthentications", "auth", "", authentication_naming(10'000));
    put_scaled_job(R"({"type":"prometheus","authenticationRef":{"name":"auth"},"metadata":)"
                   R"({"serverAddress":"http://127.0.0.1:9090","query":"q","threshold":"5"}})",
                   3);
    int posts = 0;
    server.on_asked = [&](const http::request& asked) {
        posts += asked.method == "POST" && asked.url.ends_with("/jobs?fieldManager=gputide");
    };
    server.load = 22;
    attach();
    run(10'000);
    EXPECT_NE(cluster->describe().find("more than 64 Secrets, ConfigMaps and tokens"), std::string::npos)
        << cluster->describe();
    EXPECT_EQ(posts, 0);
    server.put("triggerauthentications", "auth", "", R"("spec":{})");
    run(10'000);
    EXPECT_GT(posts, 0);
    server.on_asked = nullptr;  // the end of the test asks, too
}

}  // namespace
}  // namespace gputide::kubernetes
