// Refusals: what the error says, and what there is to do about it.
#include "kube/answer.hpp"

#include "kube/objects.hpp"
#include "support.hpp"
#include "wire/errors.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>

namespace gputide {
namespace {

using testing::answered;
using testing::external_list;
using testing::status_object;

const kube::endpoint queue = kube::external_metric("ml", "queue", "");

result<void> read_item(simdjson::dom::object item, const std::string& place) {
    if (const auto value = kube::quantity_field(item, "value", place); !value) return value.failure();
    if (const auto time_ms = kube::time_field(item, "timestamp", place); !time_ms) return time_ms.failure();
    return {};
}

error refused(std::int32_t status, const std::string& body) {
    const auto got =
        kube::read_object(answered(status, body), queue, "ExternalMetricValueList",
                          [](simdjson::dom::object root) { return kube::each_object(root, "items", "", &read_item); });
    EXPECT_FALSE(got) << body;
    return got ? fail(status::ok, {}) : got.failure();
}

void says(const error& why, std::initializer_list<const char*> texts) {
    for (const char* text : texts) EXPECT_NE(why.message.find(text), std::string::npos) << why.message;
}

TEST(KubernetesRefusal, StatusObjects) {
    const error forbidden = refused(403, status_object(403, "Forbidden", "no"));
    EXPECT_EQ(forbidden.status, status::forbidden);
    EXPECT_EQ(forbidden.service_code, "Forbidden");
    says(forbidden, {"answered 403 Forbidden: no", "RBAC",
                     R"({apiGroups: ["external.metrics.k8s.io"], resources: ["queue"], verbs: ["list"]})"});
    EXPECT_EQ(refused(401, status_object(401, "Unauthorized", "Unauthorized")).status, status::auth);
    says(refused(404, status_object(404, "NotFound", "no queue")),
         {"no queue", "kubectl get --raw /apis/external.metrics.k8s.io/v1beta1"});
    const error busy =
        refused(429, status_object(429, "TooManyRequests", "slow", R"(,"details":{"retryAfterSeconds":3})"));
    EXPECT_EQ(busy.status, status::throttled);
    EXPECT_EQ(busy.retry_after_ms, 3'000);
    constexpr std::int64_t day_ms = 86'400'000;
    const error busy_for_a_year =
        refused(429, status_object(429, "TooManyRequests", "slow", R"(,"details":{"retryAfterSeconds":31536000})"));
    EXPECT_EQ(busy_for_a_year.retry_after_ms, day_ms) << "more is read as a day";
}

// A quota and an admission webhook refuse with a right's code and reason.
TEST(KubernetesRefusal, OnlyAWriteMayBeForbiddenByAQuota) {
    kube::endpoint asked = queue;
    const auto remedy = [&](const char* verb) {
        asked.verb = verb;
        return kube::refusal(answered(403, status_object(403, "Forbidden", "no")), asked)->message;
    };
    for (const char* verb : {"get", "list", "watch"}) {
        const std::string text = remedy(verb);
        EXPECT_NE(text.find("no; grant it by RBAC"), std::string::npos) << text;
        EXPECT_EQ(text.find("quota"), std::string::npos) << text;
    }
    for (const char* verb : {"create", "update", "patch", "delete"}) {
        const std::string text = remedy(verb);
        EXPECT_NE(text.find("no; if a quota or an admission rule is named, change it; otherwise grant it by RBAC"),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find(std::string("verbs: [\"") + verb), std::string::npos) << text;
    }
}

TEST(KubernetesRefusal, TheCodeInTheObjectCounts) {
    const error why = refused(200, status_object(500, "InternalError", "x"));
    EXPECT_EQ(why.http_status, 500);
    EXPECT_EQ(why.status, status::unavailable);
    EXPECT_TRUE(why.retryable);
    EXPECT_EQ(refused(503, status_object(99'999, "Odd", "x")).http_status, 503);  // no HTTP status: not believed
}

TEST(KubernetesRefusal, PlainTextOfTheAggregator) {
    const error missing = refused(404, "404 page not found\n");
    EXPECT_EQ(missing.error_class, error_class::http);
    EXPECT_EQ(missing.status, status::rejected);
    EXPECT_EQ(http::noted_body(missing), "404 page not found");
    says(missing, {"APIService v1beta1.external.metrics.k8s.io is missing", "KEDA"});
    const error down = refused(503, "service unavailable\n");
    EXPECT_TRUE(down.retryable);
    says(down, {"kubectl describe apiservice v1beta1.external.metrics.k8s.io"});
    EXPECT_EQ(refused(302, "").status, status::security);
}

TEST(KubernetesRefusal, WhatIsNoAnswerOfThisApi) {
    for (const auto& [body, word] : std::map<std::string, std::string>{
             {"<html>sign in</html>", "not_json"},
             {"", "not_json"},
             {external_list("{\"value\":\"1\""), "not_json"},
             {"[]", "shape"},
             {R"({"kind":"ExternalMetricValueList","items":{}})", "shape"},
             {external_list("7"), "shape"},
             {external_list(R"({"value":{}})"), "shape"},
             {external_list(R"({"value":"1","timestamp":"noon"})"), "shape"},
             {external_list(R"({"value":"10E"})"), "range"},
             {R"({"kind":"ExternalMetricValueList","apiVersion":"custom.metrics.k8s.io/v1beta1","items":[]})",
              "shape"}}) {
        EXPECT_EQ(class_word(refused(200, body).error_class), word) << body;
    }
    says(refused(200, external_list(R"({"value":"1"},{"value":"1 "},{"value":"x"})")), {"items[2].value"});
}

TEST(KubernetesRefusal, APeersTokenIsNotRepeated) {
    const error why =
        refused(400, status_object(400, "BadRequest", "you sent eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln"));
    EXPECT_EQ(why.message.find("eyJzdWIi"), std::string::npos) << why.message;
}

TEST(KubernetesObjects, ScaleAndLease) {
    const auto asked = kube::scale_of("ml", "apps/v1", "Deployment", "llm");
    const auto scale = [&](const std::string& body) {
        return kube::read_scale(answered(200, R"({"kind":"Scale","apiVersion":"autoscaling/v1",)" + body + "}"), asked);
    };
    EXPECT_EQ(scale(R"("spec":{})")->spec_replicas, 0);
    EXPECT_EQ(scale(R"("spec":{"replicas":-1})").failure().error_class, error_class::shape);
    EXPECT_EQ(scale(R"("spec":{"replicas":4294967296})").failure().error_class, error_class::shape);
    const auto lease = kube::read_lease(
        answered(
            200,
            R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{"renewTime":"2026-03-01T10:00:00.12Z","acquireTime":null}})"),
        kube::lease_of("ml", "gputide"));
    EXPECT_EQ(lease->renew_time_us % 1'000'000, 120'000);
    EXPECT_EQ(lease->acquire_time_us, 0);
    EXPECT_EQ(lease->holder, "");
}

}  // namespace
}  // namespace gputide
