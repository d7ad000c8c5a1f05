// Endpoints that would lead elsewhere than their names say.
#include "kube/endpoint.hpp"
#include "kube/objects.hpp"

#include <gtest/gtest.h>

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
