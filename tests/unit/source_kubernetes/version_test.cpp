// Tests which version of the custom metrics API is asked.
#include "source/kubernetes/kubernetes.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

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
