// Tests what a manifest may say, and what is refused with its key.
#include "source/kubernetes/kubernetes.hpp"
#include "support.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

namespace k8s = testing::k8s;
using testing::kubernetes_trigger;
using testing::metadata;

result<k8s::settings> read(const metadata& more = {}, text::report* findings = nullptr) {
    static manifest::trigger from;  // settings do not outlive a line of a test
    from = kubernetes_trigger(more);
    return testing::settings_of(&k8s::read_settings, k8s::keys.all(), from, {}, manifest::profile::standard, findings);
}

std::string url_of(const metadata& more) {
    const auto got = read(more);
    EXPECT_TRUE(got) << (got ? "" : got.failure().message);
    return got ? k8s::endpoint_of(*got, "v1beta1").url() : std::string();
}

TEST(KubernetesSettings, EachApi) {
    EXPECT_EQ(url_of({{"selector", "q=a"}}),
              "/apis/external.metrics.k8s.io/v1beta1/namespaces/ml/queue?labelSelector=q%3Da");
    EXPECT_EQ(url_of({{"api", "custom"}, {"namespace", "other"}}),
              "/apis/custom.metrics.k8s.io/v1beta1/namespaces/other/pods/%2A/queue");
    EXPECT_EQ(url_of({{"api", "custom"}, {"object", "Services/llm"}, {"metricSelector", "a"}}),
              "/apis/custom.metrics.k8s.io/v1beta1/namespaces/ml/services/llm/queue?metricLabelSelector=a");
    EXPECT_EQ(url_of({{"api", "resource"}, {"metric", "cpu"}, {"selector", "app=llm"}}),
              "/apis/metrics.k8s.io/v1beta1/namespaces/ml/pods?labelSelector=app%3Dllm");
}

TEST(KubernetesSettings, TheTargetsNameIsAsKedaWouldMakeIt) {
    EXPECT_EQ(read({{"metric", "vllm:queue"}})->target.metric_name, "s0-kubernetes-vllm-queue");
}

TEST(KubernetesSettings, SeveralSeriesAsTheHpaTakesThem) {
    auto from = kubernetes_trigger({{"api", "custom"}});
    EXPECT_EQ(testing::settings_of(&k8s::read_settings, k8s::keys.all(), from)->reduction.reduce, "sum");
    from.metric_type = manifest::target_type::value;
    EXPECT_EQ(testing::settings_of(&k8s::read_settings, k8s::keys.all(), from)->reduction.reduce, "avg");
    EXPECT_EQ(testing::settings_of(&k8s::read_settings, k8s::keys.all(), from, {.reduce = "max"})->reduction.reduce,
              "max");
    from.metadata["api"] = "external";
    EXPECT_EQ(testing::settings_of(&k8s::read_settings, k8s::keys.all(), from)->reduction.reduce, "sum");
}

TEST(KubernetesSettings, RefuseWhatCannotBeAsked) {
    for (const auto& [more, text] : std::map<metadata, std::string>{
             {{{"api", ""}}, "api"},
             {{{"api", "metrics"}}, "api"},
             {{{"metric", ""}}, "metric"},
             {{{"metric", "../secrets"}}, "metric: expected a name without /"},
             {{{"namespace", ".."}}, "namespace: expected a name"},
             {{{"threshold", ""}}, "threshold"},
             {{{"apiVersion", "v1beta2"}}, "apiVersion: v1beta2 exists only for api: custom"},
             {{{"object", "services/llm"}}, "object: is only valid with api: custom"},
             {{{"api", "custom"}, {"object", "services"}}, "object: expected <plural>"},
             {{{"api", "custom"}, {"object", "services/a/b"}}, "object: expected <plural>"},
             {{{"api", "custom"}, {"scope", "cluster"}}, "scope: is only valid with api: custom, together with object"},
             {{{"metricSelector", "a"}}, "metricSelector: is only valid with api: custom"},
             {{{"container", "main"}}, "container: is only valid with api: resource"}}) {
        const auto got = read(more);
        ASSERT_FALSE(got) << text;
        EXPECT_NE(got.failure().message.find(text), std::string::npos) << got.failure().message;
        EXPECT_EQ(got.failure().status, status::invalid);
    }
}

TEST(KubernetesSettings, PodsWithoutASelectorAreWarnedOf) {
    text::report findings;
    ASSERT_TRUE(read({{"api", "custom"}}, &findings));
    ASSERT_EQ(findings.findings.size(), 1U);
    EXPECT_EQ(findings.findings[0].code, "no-selector");
    findings = {};
    ASSERT_TRUE(read({{"api", "custom"}, {"object", "services/llm"}}, &findings));
    EXPECT_TRUE(findings.findings.empty());
}

}  // namespace
}  // namespace gputide
