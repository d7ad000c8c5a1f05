// The library without libyaml: JSON manifests load, YAML is refused with the way out.
#include "texts.hpp"

#include <gtest/gtest.h>

namespace config_test {
namespace {

TEST(NoYaml, LoadsTheJsonForm) {
    const manifest::loaded got =
        load(R"({"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": "a"},
 "spec": {"scaleTargetRef": {"name": "w"}, "triggers": [{"type": "prometheus", "metadata": {"query": "up"}}]}})");
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    EXPECT_EQ(got.specs[0].triggers[0].metadata.at("query"), "up");
}

TEST(NoYaml, RefusesYaml) {
    EXPECT_NE(found(load(scaled_object())).find("this build of the library does not read YAML"), std::string::npos);
    EXPECT_NE(found(load("{kind: List}")).find("not valid JSON"), std::string::npos);
}

}  // namespace
}  // namespace config_test
