// Paths as an API server routes them.
#include "kube/endpoint.hpp"

#include "kube/objects.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

namespace gputide {

namespace {

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
