// Objects as lists and watches bring them, and where a scaleTargetRef leads.
#include "kubernetes/api/objects.hpp"

#include "kubernetes/api/resources.hpp"
#include "support.hpp"

namespace gputide::kubernetes {
namespace {

using testing::read;
using testing::scripted;
using testing::status_body;

scaled_object scaled_object_in(const std::string& json) {
    return read(json, [](simdjson::dom::object object) { return read_scaled_object(object, {}); });
}

TEST(Objects, AScaledObjectKeepsWhatConfigReads) {
    const scaled_object got = read(
        R"({"metadata":{"name":"llm","namespace":"ml","uid":"u","resourceVersion":"7","managedFields":[{"a":1}],
            "creationTimestamp":"2026-03-01T10:00:00Z","annotations":{"autoscaling.keda.sh/paused":"true",
            "kubectl.kubernetes.io/last-applied-configuration":"{}"}},
            "spec":{"scaleTargetRef":{"name":"llm"},"triggers":[{"type":"a","authenticationRef":{"name":"x"}},
            {"type":"b","authenticationRef":{"name":"x"}},
            {"type":"c","authenticationRef":{"name":"y","kind":"ClusterTriggerAuthentication"}}]},"status":{"x":1}})",
        [](simdjson::dom::object object) { return read_scaled_object(object, "gputide"); });
    EXPECT_EQ(got.facts.key.text(), "ml/llm");
    EXPECT_FALSE(got.facts.deleting);
    EXPECT_EQ(got.target, (target_reference{"apps/v1", "Deployment", "llm"}));
    EXPECT_EQ(got.manifest.substr(0, 78),
              R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"llm)");
    EXPECT_EQ(got.manifest.find("managedFields"), std::string::npos);
    EXPECT_EQ(got.manifest.find("last-applied"), std::string::npos);
    EXPECT_NE(got.manifest.find("autoscaling.keda.sh/paused"), std::string::npos);
    EXPECT_EQ(got.authentications, (std::vector<authentication_reference>{{"x", false}, {"y", true}}));
}

// Paused for KEDA's sake, and handed over to the gputide that is named.
TEST(Objects, TheOwnersPauseIsNone) {
    const std::string text =
        R"({"metadata":{"name":"llm","annotations":{"autoscaling.keda.sh/paused":"true","gputide.io/owner":"east"}}})";
    for (const std::string us : {"east", "west"}) {
        const scaled_object got =
            read(text, [&](simdjson::dom::object object) { return read_scaled_object(object, us); });
        EXPECT_EQ(got.owner, "east");
        EXPECT_EQ(got.manifest.find("paused") == std::string::npos, us == "east");
    }
}

TEST(Objects, ADeletionIsSeen) {
    EXPECT_TRUE(read(R"({"metadata":{"name":"a","deletionTimestamp":"2026-03-01T10:00:00Z"}})", read_facts).deleting);
}

TEST(Objects, ATargetsSize) {
    const target_size got = read(
        R"({"metadata":{"uid":"u","resourceVersion":"9"},"spec":{"replicas":0},"status":{"replicas":2,"readyReplicas":1}})",
        read_target_size);
    EXPECT_EQ(got.spec, 0);
    EXPECT_EQ(got.status, 2);
    EXPECT_EQ(got.ready, 1);
    EXPECT_EQ(read(R"({"metadata":{},"spec":{}})", read_target_size).spec, 1);  // apps/v1: left out is 1
}

TEST(Objects, AnAutoscalerAsARival) {
    const autoscaler got = read(
        R"({"metadata":{"name":"keda-hpa-llm","namespace":"ml","ownerReferences":[{"kind":"ScaledObject","name":"llm"}]},
            "spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"llm"}},
            "status":{"desiredReplicas":4,"conditions":[{"type":"ScalingActive","status":"False","reason":"FailedGet","message":"m"}]}})",
        read_autoscaler);
    EXPECT_EQ(got.owner, "llm");
    EXPECT_EQ(got.desired, 4);
    EXPECT_FALSE(got.is_active);
    EXPECT_EQ(got.reasons, "ScalingActive FailedGet: m");
}

TEST(Objects, SecretsOfAnAuthenticationAreThoseOfAllItsBlocks) {
    const authentication got = read(
        R"({"metadata":{"namespace":"ml","name":"a"},"spec":{
            "secretTargetRef":[{"parameter":"p","name":"s1","key":"k"}],
            "oauth2":{"clientSecret":{"valueFrom":{"secretKeyRef":{"name":"s2","key":"k"}}}},
            "azureServicePrincipal":{"clientCertificate":{"valueFrom":{"secretKeyRef":{"name":"s3","key":"k"}}},
              "clientCertificatePassword":{"valueFrom":{"secretKeyRef":{"name":"s1","key":"k"}}}},
            "boundServiceAccountToken":[{"parameter":"p","serviceAccountName":"a1"}]}})",
        [](simdjson::dom::object object) { return read_authentication(object, false); });
    EXPECT_EQ(got.secrets, (std::vector<std::string>{"s1", "s2", "s3"}));
    EXPECT_EQ(got.accounts, std::vector<std::string>{"a1"});
}

TEST(Objects, VersionsByLengthThenByte) {
    EXPECT_TRUE(is_older("9", "10"));
    EXPECT_FALSE(is_older("10", "9"));
    EXPECT_FALSE(is_older("10", "10"));
    EXPECT_FALSE(is_older("", "10"));
    EXPECT_FALSE(is_older("abc", "abd"));
}

class Resources : public ::testing::Test, protected testing::api_world {
  protected:
    std::shared_ptr<resource_finder> finder = std::make_shared<resource_finder>(api);

    result<resource> find(const std::string& api_version, const std::string& kind) {
        std::optional<result<resource>> out;
        finder->find(api_version, kind, [&](const result<resource>& got) { out = got; });
        loop->run_until_idle();
        EXPECT_TRUE(out);
        return *out;
    }
};

constexpr const char* group = R"({"kind":"APIGroup","apiVersion":"v1","preferredVersion":{"version":"v1beta2"}})";
constexpr const char* kinds =
    R"({"kind":"APIResourceList","apiVersion":"v1","resources":[{"name":"inferenceservices","kind":"InferenceService"},
        {"name":"inferenceservices/scale","kind":"Scale"},{"name":"statusonlies","kind":"StatusOnly"}]})";

TEST_F(Resources, AppsAreKnown) {
    const auto got = find("apps/v1", "Deployment");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->scale({"ml", "llm"}, "get").url(), "/apis/apps/v1/namespaces/ml/deployments/llm/scale");
    EXPECT_TRUE(got->has_usual_size());
    EXPECT_TRUE(asked().empty());
}

TEST_F(Resources, ADiscoveryThatFoundNoMemoryIsBegunAgain) {
    bool has_failed = false;
    loop->answer_with([&](const http::request& what) {
        if (!std::exchange(has_failed, true)) throw std::bad_alloc();
        return scripted(200, what.url.ends_with("v1beta2") ? kinds : group);
    });
    const auto ignore = [](const result<resource>&) {};
    EXPECT_THROW(finder->find("serving.example.com/v1", "InferenceService", ignore), std::bad_alloc);
    EXPECT_TRUE(find("serving.example.com/v1", "InferenceService"));
}

TEST_F(Resources, OthersAreAskedForByTheServersVersion) {
    loop->answer_next(scripted(200, group));
    loop->answer_next(scripted(200, kinds));
    const auto got = find("serving.example.com/v1alpha1", "InferenceService");
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->text(), "inferenceservices.serving.example.com");
    EXPECT_EQ(got->collection("").url(), "/apis/serving.example.com/v1beta2/inferenceservices");
    EXPECT_TRUE(find("serving.example.com/v1", "InferenceService"));  // known by now
    EXPECT_EQ(asked(),
              (std::vector<std::string>{"GET /apis/serving.example.com", "GET /apis/serving.example.com/v1beta2"}));
}

TEST_F(Resources, WhatHasNoScaleIsNamedAndLookedForAgainEachMinute) {
    loop->answer_with(
        [](const http::request& what) { return scripted(200, what.url.ends_with("v1beta2") ? kinds : group); });
    const auto got = find("serving.example.com/v1", "StatusOnly");
    ASSERT_FALSE(got);
    EXPECT_NE(got.failure().message.find(
                  "no kind \"StatusOnly\" with a scale subresource in API group \"serving.example.com\""),
              std::string::npos)
        << got.failure().message;
    EXPECT_FALSE(find("serving.example.com/v1", "StatusOnly"));
    EXPECT_EQ(asked().size(), 2U);
    loop->advance(60'000);
    EXPECT_FALSE(find("serving.example.com/v1", "StatusOnly"));
    EXPECT_EQ(asked().size(), 4U);
}

TEST_F(Resources, AGroupThatIsNotServed) {
    loop->answer_next(scripted(404, "404 page not found\n"));
    EXPECT_FALSE(find("none.example.com/v1", "None"));
}

scaled_object_status told_status() {
    scaled_object_status out;
    out.target = {"apps", "v1", "Deployment", "deployments"};
    out.original_replicas = 2;
    out.last_active_s = 1'772'362'800;
    out.trigger_types = "prometheus,cron";
    out.conditions = {{"Ready", "True", "ScaledObjectReady", "it is"}, {"Active", "Unknown", "", ""}};
    out.health = {{"s0-prometheus", {3, true}}, {"s1-cron", {0, false}}};
    return out;
}

TEST(Status, APatchIsReadAsWhatItWasMadeOf) {
    const std::string patch = status_patch(told_status());
    EXPECT_NE(patch.find(R"("scaleTargetKind":"apps/v1.Deployment")"), std::string::npos) << patch;
    EXPECT_NE(patch.find(R"("lastActiveTime":"2026-03-01T11:00:00Z")"), std::string::npos) << patch;
    EXPECT_NE(patch.find(R"("health":{"s0-prometheus":{"numberOfFailures":3,"status":"Failing"},"s1-cron":)"),
              std::string::npos);
    EXPECT_EQ(scaled_object_in(patch).status, told_status());
}

TEST(Status, WhatIsNotKnownIsNotPatched) {
    EXPECT_EQ(status_patch({}), R"({"status":{"triggersTypes":"","conditions":[]}})");
    EXPECT_EQ(scaled_object_in("{}").status, scaled_object_status());
}

TEST(Status, HealthThatSaysNothingCountsAsNone) {
    const auto read =
        scaled_object_in(R"({"status":{"health":{"a":{"numberOfFailures":-1},"b":7,"c":{"status":"Failing"}}}})");
    EXPECT_EQ(read.status.health, (std::map<std::string, metric_health>{{"a", {0, false}}, {"c", {0, true}}}));
}

TEST(Status, KedasFinalizerMeansThatKedaWritesIt) {
    EXPECT_TRUE(scaled_object_in(R"({"metadata":{"finalizers":["a","finalizer.keda.sh"]}})").is_kedas);
    EXPECT_FALSE(scaled_object_in(R"({"metadata":{"finalizers":["finalizer.keda.shx"]}})").is_kedas);
}

TEST(Status, EachTypeOfTriggerIsNamedOnce) {
    const auto got = scaled_object_in(
        R"({"spec":{"cooldownPeriod":60,"triggers":[{"type":"prometheus"},{"type":"cron"},{"type":"prometheus"}]}})");
    EXPECT_EQ(got.trigger_types, "prometheus,cron");
    EXPECT_EQ(got.cooldown_s, 60);
}

}  // namespace
}  // namespace gputide::kubernetes
