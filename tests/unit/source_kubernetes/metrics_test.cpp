// Tests what containers and pods use, as the HPA counts it.

#include "source/kubernetes/kubernetes.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

namespace k8s = testing::k8s;
using testing::answered;

std::string pod_metrics(const std::string& items) {
    return R"({"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[)" + items + "]}";
}

result<std::vector<k8s::metric_item>> read(const std::string& items, std::string_view resource = "cpu",
                                           std::string_view container = {}) {
    return k8s::read_pod_metrics(answered(200, pod_metrics(items)), kube::pod_metrics("ml", ""), resource, container);
}

constexpr const char* two_containers =
    R"({"metadata":{"name":"a"},"timestamp":"2026-03-01T10:00:00Z","window":"15.5s","containers":[)"
    R"({"name":"main","usage":{"cpu":"1500m","memory":"2Gi"}},{"name":"proxy","usage":{"cpu":"1n"}}]})";

TEST(PodMetrics, AreReadWithTimeAndWindow) {
    const auto got = read(two_containers);
    ASSERT_TRUE(got) << got.failure().message;
    ASSERT_EQ(got->size(), 1U);
    const k8s::metric_item& pod = got->front();
    EXPECT_EQ(pod.name, "a");
    EXPECT_EQ(pod.time_ms, 1'772'359'200'000);
    EXPECT_EQ(pod.window_s, 15);
}

TEST(PodMetrics, APodIsTheSumOfItsContainers) {
    const auto use_of = [](std::string_view resource, std::string_view container) {
        return read(two_containers, resource, container)->front().milli;
    };
    EXPECT_EQ(use_of("cpu", ""), 1'501);            // each rounded away from zero, as Quantity.MilliValue
    EXPECT_EQ(use_of("memory", ""), std::nullopt);  // one container has none: the pod is missing
    EXPECT_EQ(use_of("memory", "main"), 2'147'483'648'000);
    EXPECT_EQ(use_of("memory", "proxy"), std::nullopt);
    EXPECT_EQ(use_of("cpu", "gone"), std::nullopt);  // the pod is missing, too
    EXPECT_FALSE(read(two_containers, "cpu", "gone")->front().has_container);
    EXPECT_TRUE(read(two_containers, "cpu", "proxy")->front().has_container);
    EXPECT_EQ(read(R"({"metadata":{"name":"a"}})")->front().milli, std::nullopt);
}

TEST(PodMetrics, ThatAreNone) {
    for (const char* bad : {R"({"metadata":{}})", R"({"metadata":{"name":"a"},"window":"x"})",
                            R"({"metadata":{"name":"a"},"containers":[{"name":"m"}]})",
                            R"({"metadata":{"name":"a"},"containers":[{"name":"m","usage":{"cpu":"x"}}]})"}) {
        const auto got = read(bad);
        ASSERT_FALSE(got) << bad;
        EXPECT_EQ(got.failure().error_class, error_class::shape) << got.failure().message;
    }
}

// Tests which version of the custom metrics API is asked.

namespace k8s = testing::k8s;
using testing::answered;
using testing::status_object;

TEST(KubernetesDiscovery, TheNewestOfTheKnownVersions) {
    const auto version = [](std::int32_t status, const std::string& body) {
        return k8s::read_custom_version(answered(status, body));
    };
    const auto listed = [&](const std::string& versions) {
        return version(200, R"({"kind":"APIGroup","apiVersion":"v1","name":"custom.metrics.k8s.io","versions":[)" +
                                versions + "]}");
    };
    EXPECT_EQ(*listed(R"({"version":"v1beta2"},{"version":"v1beta1"})"), "v1beta2");
    EXPECT_EQ(*listed(R"({"version":"v1beta1"},{"version":"v2"})"), "v1beta1");
    EXPECT_EQ(listed(R"({"version":"v2"})").failure().error_class, error_class::shape);
    EXPECT_EQ(*version(403, status_object(403, "Forbidden", "no")), "v1beta1");
    const std::string missing = version(404, "404 page not found").failure().message;
    EXPECT_NE(missing.find("APIService v1beta1.custom.metrics.k8s.io is missing"), std::string::npos) << missing;
    EXPECT_NE(missing.find("Prometheus Adapter"), std::string::npos) << missing;
}

}  // namespace

}  // namespace gputide
