// A manifest without the addresses and credentials that only asking would need.
#include "pipeline/host.hpp"
#include "pipeline/pipeline.hpp"

#include <gtest/gtest.h>

namespace gputide::pipeline {
namespace {

constexpr const char* described_manifest = R"(apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: llm}
spec:
  scaleTargetRef: {name: llm}
  triggers:
    - type: prometheus
      metadata: {query: up, threshold: "7", authModes: bearer}
      authenticationRef: {name: not-given}
    - type: metrics-api
      metadata: {urlFromEnv: NOT_READ, valueLocation: a, targetValue: "3"}
)";

TEST(DescribedManifest, DecidesWithoutAddressesAndCredentials) {
    const std::vector<manifest::text_file> files = {{"so.yaml", described_manifest}};
    EXPECT_FALSE(load_spec(files, {}, nullptr));  // the caller needs them
    const auto spec = load_spec(files, {}, nullptr, true);
    ASSERT_TRUE(spec) << spec.failure().message;
    const auto got = describe(*spec, nullptr);
    ASSERT_TRUE(got) << got.failure().message;
    ASSERT_EQ(got->policy.metrics.size(), 2U);
    EXPECT_EQ(got->policy.metrics[0].target_milli, 7'000);
    EXPECT_EQ(got->policy.metrics[1].target_milli, 3'000);
    EXPECT_NE(got->lacking().message.find("serverAddress"), std::string::npos) << got->lacking().message;
    EXPECT_FALSE(open(*got, {}));
}

}  // namespace
}  // namespace gputide::pipeline
