// Refusals: what the error says, and what there is to do about it.  Paths as an API server routes them.
#include "kube/answer.hpp"

#include "kube/endpoint.hpp"
#include "support.hpp"
#include "wire/errors.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>
#include <utility>

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

TEST(KubernetesPaths, PodsBySelector) {
    const auto got =
        kube::custom_metric({"v1beta1", "ml", {"pods", "*", false}, "DCGM_FI_DEV_GPU_UTIL", "app=llm", "gpu!=0"});
    EXPECT_EQ(got.url(),
              "/apis/custom.metrics.k8s.io/v1beta1/namespaces/ml/pods/%2A/DCGM_FI_DEV_GPU_UTIL"
              "?labelSelector=app%3Dllm&metricLabelSelector=gpu%21%3D0");
    EXPECT_EQ(got.verb + " " + got.resource, "get pods/DCGM_FI_DEV_GPU_UTIL");
}

TEST(KubernetesPaths, ObjectsOfEachScope) {
    const auto url = [](kube::object_reference object) {
        return kube::custom_metric({"v1beta2", "ml", std::move(object), "rps", {}, {}}).url();
    };
    const std::string base = "/apis/custom.metrics.k8s.io/v1beta2/";
    EXPECT_EQ(url({"services", "llm", false}), base + "namespaces/ml/services/llm/rps");
    EXPECT_EQ(url({"ingresses.networking.k8s.io", "main", false}),
              base + "namespaces/ml/ingresses.networking.k8s.io/main/rps");
    EXPECT_EQ(url({"nodes", "gpu-1", true}), base + "nodes/gpu-1/rps");
    EXPECT_EQ(url({"namespaces", "other", true}), base + "namespaces/other/metrics/rps");
}

TEST(KubernetesPaths, ExternalMetricsAreListed) {
    const auto got = kube::external_metric("ml", "vllm:num_requests_waiting", "a in (x,y),!b");
    EXPECT_EQ(got.url(),
              "/apis/external.metrics.k8s.io/v1beta1/namespaces/ml/vllm%3Anum_requests_waiting"
              "?labelSelector=a%20in%20%28x%2Cy%29%2C%21b");
    EXPECT_EQ(got.verb, "list");
}

TEST(KubernetesPaths, NamesCannotLeaveTheirPlace) {
    EXPECT_EQ(kube::external_metric("..", "a/b?c#d", "").url(),
              "/apis/external.metrics.k8s.io/v1beta1/namespaces/../a%2Fb%3Fc%23d");
    for (const char* bad : {"", ".", "..", "a/b", "a%2Fb"}) EXPECT_FALSE(kube::is_path_segment(bad)) << bad;
    EXPECT_TRUE(kube::is_path_segment("vllm:queue"));
}

TEST(KubernetesPaths, TheRest) {
    EXPECT_EQ(kube::pod_metrics("ml", "app=llm").url(),
              "/apis/metrics.k8s.io/v1beta1/namespaces/ml/pods?labelSelector=app%3Dllm");
    EXPECT_EQ(kube::group_versions(kube::custom_group).url(), "/apis/custom.metrics.k8s.io");
    EXPECT_EQ(kube::scale_of("ml", "apps/v1", "StatefulSet", "llm").url(),
              "/apis/apps/v1/namespaces/ml/statefulsets/llm/scale");
    EXPECT_EQ(kube::scale_of("ml", "v1", "ReplicationController", "llm").url(),
              "/api/v1/namespaces/ml/replicationcontrollers/llm/scale");
    EXPECT_EQ(kube::lease_of("ml", "gputide").url(), "/apis/coordination.k8s.io/v1/namespaces/ml/leases/gputide");
}

TEST(KubernetesPaths, KindsBecomeResources) {
    for (const auto& [kind, resource] : std::map<std::string, std::string>{{"Service", "services"},
                                                                           {"Ingress", "ingresses"},
                                                                           {"NetworkPolicy", "networkpolicies"},
                                                                           {"Endpoints", "endpoints"},
                                                                           {"", ""}}) {
        EXPECT_EQ(kube::resource_of_kind(kind), resource);
    }
}

}  // namespace

}  // namespace gputide

// Endpoints that would lead elsewhere than their names say.
namespace gputide::kube {

namespace {

endpoint at(const std::string& group, const std::string& version, const std::string& path) {
    endpoint out;
    out.group = group;
    out.version = version;
    out.path = path;
    return out;
}

TEST(PathCheck, WhatNamesLeadToIsSound) {
    EXPECT_TRUE(check_path(lease_of("own", "gputide")));
    EXPECT_TRUE(check_path(scale_of("ml", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "a.b-c")));
    EXPECT_TRUE(check_path(at("", "v1", "")));
    EXPECT_TRUE(check_path(at("x.io", "", "")));
    EXPECT_TRUE(check_path(at("", "v1", "/namespaces/ml/secrets/a%2Fb%3Fc%20d..e")));
}

TEST(PathCheck, WhatLeadsElsewhereIsNot) {
    for (const char* name : {"", ".", ".."}) {
        EXPECT_FALSE(check_path(lease_of("own", name))) << name;
        EXPECT_FALSE(check_path(lease_of(name, "gputide"))) << name;
        EXPECT_FALSE(check_path(scale_of("ml", "apps/v1", "Deployment", name))) << name;
    }
    for (const char* path : {"pods", "/pods/", "/a//b", "/a?b", "/a#b", "/a b", "/a\\b", "/a\nb"})
        EXPECT_FALSE(check_path(at("", "v1", path))) << path;
    for (const char* group : {"apps/v1", "..", "a..b", ".a", "a?", "-a", "A"})
        EXPECT_FALSE(check_path(at(group, "v1", "/pods"))) << group;
    for (const char* version : {"v1/namespaces/kube-system/secrets/x?", "..", "v1?", "v1#", "v1.", "-"})
        EXPECT_FALSE(check_path(at("apps", version, "/pods"))) << version;
}

TEST(PathCheck, SaysWhatIsWrong) {
    const auto got = check_path(lease_of("own", ".."));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::invalid);
    EXPECT_EQ(got.failure().message, R"(leases: ".." is not a valid name of the Kubernetes API, and nothing was sent)");
}

}  // namespace
}  // namespace gputide::kube
