// Names that no cluster accepts are refused where they are read, as they become words of a host's command line and parts of
// request paths.
#include "manifest/names.hpp"
#include "texts.hpp"

#include <gtest/gtest.h>

namespace config_test {
namespace {

TEST(ObjectName, FollowsKubernetesRules) {
    for (const char* name : {"a", "llama-3", "0x", "a.b-c.d", "xn--80ak6aa92e"})
        EXPECT_TRUE(manifest::is_dns_subdomain(name));
    for (const char* name : {"", "-a", "a-", "A", "a_b", "a..b", ".a", "a.", "a b", "a/b", "a\n", "é", "a.-b"})
        EXPECT_FALSE(manifest::is_dns_subdomain(name)) << name;
    EXPECT_TRUE(manifest::is_dns_subdomain(std::string(253, 'a')));
    EXPECT_FALSE(manifest::is_dns_subdomain(std::string(254, 'a')));
    EXPECT_TRUE(manifest::is_dns_label(std::string(63, 'a')));
    EXPECT_FALSE(manifest::is_dns_label(std::string(64, 'a')));
    EXPECT_FALSE(manifest::is_dns_label("a.b"));
    for (const char* text : {"v1", "apps/v1", "argoproj.io/v1alpha1"})
        EXPECT_TRUE(manifest::is_api_version(text)) << text;
    for (const char* text : {"", "/v1", "apps/", "apps/v1/x", "../v1", "apps/v1?x=1", "apps/%2e"})
        EXPECT_FALSE(manifest::is_api_version(text)) << text;
    for (const char* text : {"Deployment", "LeaderWorkerSet"}) EXPECT_TRUE(manifest::is_kind(text));
    for (const char* text : {"", "Deployment/x", "a b", "--all"}) EXPECT_FALSE(manifest::is_kind(text)) << text;
}

bool is_fine(const manifest::loaded& got) { return got.report.count(text::severity::error) == 0; }

std::string manifest(const std::string& name, const std::string& name_space, const std::string& target) {
    return "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: " + name + ", namespace: " + name_space +
           "}\nspec:\n  scaleTargetRef: " + target +
           "\n  triggers: [{type: prometheus, metadata: {query: up, serverAddress: 'http://p', threshold: '1'}}]\n";
}

TEST(ObjectName, OneThatWouldBeAnOptionIsRefusedAndNamed) {
    EXPECT_TRUE(is_fine(load(manifest("gpu", "ml", "{name: worker}"))));
    const auto refused = [](const std::string& text, const std::string& path) {
        const manifest::loaded got = load(text);
        EXPECT_FALSE(is_fine(got)) << text;
        EXPECT_NE(found(got).find(path), std::string::npos) << found(got);
        EXPECT_NE(found(got).find("not a name that Kubernetes accepts"), std::string::npos) << found(got);
    };
    refused(manifest("'x --server=https://evil'", "ml", "{name: worker}"), "metadata.name");
    refused(manifest("gpu", "'x deploy/payments'", "{name: worker}"), "metadata.namespace");
    refused(manifest("gpu", "ml", "{name: 'x deploy/payments'}"), "scaleTargetRef.name");
    refused(manifest("gpu", "ml", "{name: worker, apiVersion: '../../api/v1', kind: Deployment}"),
            "scaleTargetRef.apiVersion");
    refused(manifest("gpu", "ml", "{name: worker, kind: 'Deployment --all'}"), "scaleTargetRef.kind");
}

TEST(ObjectName, AnHpasTargetIsHeldToTheSame) {
    std::string text = hpa(
        "  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]\n");
    EXPECT_TRUE(is_fine(load(text))) << found(load(text));
    text.replace(text.find("name: worker"), 12, "name: '--all'");
    EXPECT_NE(found(load(text)).find("scaleTargetRef.name"), std::string::npos) << found(load(text));
}

}  // namespace
}  // namespace config_test
