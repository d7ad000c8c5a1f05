// Pods and Resource metrics: the pods as the core API lists them, and whole fetches over a scripted loop.
#include "source/kubernetes/kubernetes.hpp"
#include "source/source.hpp"
#include "support.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

namespace k8s = testing::k8s;
using testing::answered;
using testing::scripted;
using testing::scripted_answer;
using testing::status_object;

std::string pod_list(const std::string& items, const std::string& next = {}) {
    return R"({"kind":"PodList","apiVersion":"v1","metadata":{"continue":")" + next + R"("},"items":[)" + items + "]}";
}

constexpr const char* busy_pod =
    R"({"metadata":{"name":"a"},"spec":{"initContainers":[{"name":"setup","resources":{}},)"
    R"({"name":"proxy","restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}}],)"
    R"("containers":[{"name":"main","resources":{"requests":{"cpu":"2","memory":"1Gi"}}}]},)"
    R"("status":{"phase":"Running","startTime":"2026-03-01T10:00:00Z","conditions":[{"type":"Initialized","status":"True"},)"
    R"({"type":"Ready","status":"False","lastTransitionTime":"2026-03-01T10:00:05Z"}]}})";

std::vector<k8s::listed_pod> listed(const std::string& items) {
    std::vector<k8s::listed_pod> out;
    const auto got = k8s::read_pods(answered(200, pod_list(items)), k8s::pod_page("ml", "app=llm", ""), out);
    EXPECT_TRUE(got) << (got ? "" : got.failure().message);
    return out;
}

TEST(PodList, PhaseReadinessAndTimes) {
    const auto all =
        listed(std::string(busy_pod) +
               R"(,{"metadata":{"name":"b","deletionTimestamp":"2026-03-01T10:00:00Z"},"status":{"phase":"Pending"}})");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].state.phase, pod_phase::running);
    EXPECT_EQ(all[0].state.readiness, readiness::no);
    EXPECT_EQ(all[0].state.start_time_ms, 1'772'359'200'000);
    EXPECT_EQ(all[0].state.ready_change_time_ms, 1'772'359'205'000);
    EXPECT_FALSE(all[0].state.deleting);
    EXPECT_TRUE(all[1].state.deleting);
    EXPECT_EQ(all[1].state.phase, pod_phase::pending);
    EXPECT_EQ(all[1].state.readiness, readiness::no_condition);
    EXPECT_EQ(all[1].state.start_time_ms, std::nullopt);
}

TEST(PodList, RequestsAsTheHpaCountsThem) {
    const k8s::listed_pod pod = listed(busy_pod).front();
    EXPECT_EQ(pod.request_of("cpu", ""), 2'100);  // the sidecar counts, the finished init container does not
    EXPECT_EQ(pod.request_of("cpu", "main"), 2'000);
    EXPECT_EQ(pod.request_of("memory", ""), std::nullopt);  // the sidecar asks for none
    EXPECT_EQ(pod.request_of("cpu", "gone"), std::nullopt);
    const auto own = listed(R"({"metadata":{"name":"c"},"spec":{"resources":{"requests":{"cpu":"3"}},)"
                            R"("containers":[{"name":"main","resources":{"requests":{"cpu":"1"}}}]}})");
    EXPECT_EQ(own.front().request_of("cpu", ""), 3'000);
    EXPECT_EQ(own.front().request_of("cpu", "main"), 1'000);
}

// kubernetes/component-helpers resource/helpers.go (PodRequests): what the pod does not name is at least its largest init
// container's, with the sidecars that started before it, and the overhead comes on top.
TEST(PodList, PodLevelRequestsOfOneResource) {
    const auto pod = [](const std::string& more) {
        return listed(R"({"metadata":{"name":"p"},"spec":{"resources":{"requests":{"memory":"360M"}},)" + more +
                      R"("containers":[{"name":"a","resources":{"requests":{"cpu":"579m"}}},)"
                      R"({"name":"b","resources":{"requests":{"cpu":"1601m"}}},{"name":"c"}]}})")
            .front();
    };
    const std::string init = R"({"name":"i","resources":{"requests":{"cpu":"4117m"}}})";
    const std::string sidecar = R"({"name":"s","restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}})";
    EXPECT_EQ(pod("").request_of("cpu", ""), 2'180);
    EXPECT_EQ(pod(R"("initContainers":[)" + init + "],").request_of("cpu", ""), 4'117);
    EXPECT_EQ(pod(R"("initContainers":[)" + sidecar + "," + init + "],").request_of("cpu", ""), 4'217);
    EXPECT_EQ(pod(R"("initContainers":[)" + init + "," + sidecar + "],").request_of("cpu", ""), 4'117);
    EXPECT_EQ(pod(R"("overhead":{"cpu":"250m"},)").request_of("cpu", ""), 2'430);
    EXPECT_EQ(pod("").request_of("memory", ""), 360'000'000'000);
    EXPECT_EQ(pod("").request_of("cpu", "c"), std::nullopt);
}

TEST(PodList, ReadyUnknownIsNotNotReady) {
    const auto pod =
        listed(R"({"metadata":{"name":"p"},"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})");
    EXPECT_EQ(pod.front().state.readiness, readiness::unknown);
}

TEST(PodList, PagesAndRefusals) {
    std::vector<k8s::listed_pod> all;
    const auto asked = k8s::pod_page("ml", "app=llm", "a b");
    EXPECT_EQ(asked.url(), "/api/v1/namespaces/ml/pods?labelSelector=app%3Dllm&limit=500&continue=a%20b");
    EXPECT_EQ(*k8s::read_pods(answered(200, pod_list(busy_pod, "next")), asked, all), "next");
    EXPECT_EQ(*k8s::read_pods(answered(200, pod_list(busy_pod)), asked, all), "");
    EXPECT_EQ(all.size(), 2U);
    for (const char* bad :
         {"7", "{}", R"({"metadata":{"name":"a"},"status":{"startTime":"x"}})",
          R"({"metadata":{"name":"a"},"spec":{"containers":[{"resources":{"requests":{"cpu":"x"}}}]}})"}) {
        EXPECT_EQ(k8s::read_pods(answered(200, pod_list(bad)), asked, all).failure().error_class, error_class::shape)
            << bad;
    }
    const auto forbidden = k8s::read_pods(answered(403, status_object(403, "Forbidden", "no")), asked, all);
    EXPECT_NE(forbidden.failure().message.find(R"({apiGroups: [""], resources: ["pods"], verbs: ["list"]})"),
              std::string::npos)
        << forbidden.failure().message;
}

class pods_fetching : public ::testing::Test {
  protected:
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    k8s::settings what;
    std::string selector = "app=llm";
    std::map<std::string, scripted_answer> answers;  // by a part of the address

    void SetUp() override {
        what.api = k8s::api::resource;
        what.metric = "cpu";
        what.name_space = "ml";
        what.pods_of = {"apps/v1", "Deployment", "llm"};
        answers["/pods?labelSelector=app%3Dllm&limit=500"] =
            scripted(200, pod_list(std::string(busy_pod) +
                                   R"(,{"metadata":{"name":"b"},"status":{"phase":"Running"},)"
                                   R"("spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"1"}}}]}})"));
        answers["/apis/metrics.k8s.io/v1beta1/namespaces/ml/pods?labelSelector=app%3Dllm"] = scripted(
            200, R"({"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","items":[)"
                 R"({"metadata":{"name":"a"},"timestamp":"2026-03-01T10:00:00Z","window":"30s",)"
                 R"("containers":[{"name":"main","usage":{"cpu":"1500m"}},{"name":"proxy","usage":{"cpu":"50m"}}]}]})");
    }

    source::fetched fetch() {
        answers["/deployments/llm/scale"] = scripted(
            200, R"({"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":2},"status":{"selector":")" +
                     selector + "\"}}");
        loop->answer_with([this](const http::request& sent) {
            for (const auto& [part, answer] : answers) {
                if (sent.url.find(part) != std::string::npos) return answer;
            }
            return scripted(404, "404 page not found\n");
        });
        source::services with;
        with.loop = loop;
        with.tokens = std::make_shared<auth::token_cache>(loop);
        with.host = testing::cluster_pod();
        const auto opened = source::open(k8s::describe_pods(what), with);
        source::fetched out;
        if (!opened) {
            ADD_FAILURE() << opened.failure().message;
            return out;
        }
        (*opened)->fetch(
            0, loop->steady_ms() + 60'000, [&out](source::fetched got) { out = std::move(got); },
            source::detail::value);
        loop->run_until_idle();
        return out;
    }
};

TEST_F(pods_fetching, a_resource_with_requests) {
    const auto got = fetch();
    ASSERT_NE(got.pods, nullptr) << got.why.message;
    ASSERT_EQ(got.pods->pods.size(), 2U);
    ASSERT_EQ(got.pods->values.size(), 2U);
    EXPECT_EQ(got.pods->values[0].pod, "a");
    EXPECT_EQ(got.pods->values[0].value_milli, 1'550);
    EXPECT_EQ(got.pods->values[0].request_milli, 2'100);
    EXPECT_EQ(got.pods->values[0].window_s, 30);
    EXPECT_EQ(got.pods->values[1].pod, "b");  // has no metric yet: only its request is told
    EXPECT_EQ(got.pods->values[1].value_milli, std::nullopt);
    EXPECT_EQ(got.pods->values[1].request_milli, 1'000);
    EXPECT_EQ(got.sample.state, sample_state::ok);
    EXPECT_EQ(got.sample.value, 1.55);
}

TEST_F(pods_fetching, a_custom_metric) {
    what.api = k8s::api::custom;
    what.metric = "gpu";
    answers["/apis/custom.metrics.k8s.io/v1beta1/namespaces/ml/pods/%2A/gpu?labelSelector=app%3Dllm"] = scripted(
        200, R"({"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/v1beta1","items":[)"
             R"({"describedObject":{"kind":"Pod","name":"a"},"value":"97","timestamp":null},)"
             R"({"describedObject":{"kind":"Pod","name":"b"},"value":"-9223372036854775808m","timestamp":null}]})");
    EXPECT_EQ(fetch().why.status, status::rejected);  // nothing tells the versions: the APIService is missing
    answers["10.0.0.1:443/apis/custom.metrics.k8s.io"] =
        scripted(200, R"({"kind":"APIGroup","apiVersion":"v1","versions":[{"version":"v1beta1"}]})");
    const auto got = fetch();
    ASSERT_NE(got.pods, nullptr) << got.why.message;
    EXPECT_EQ(got.pods->values[0].value_milli, 97'000);
    EXPECT_EQ(got.pods->values[0].window_s, 60);
    EXPECT_EQ(got.pods->values[1].value_milli, std::nullopt);  // NaN in disguise: the pod has no value
}

TEST_F(pods_fetching, what_fails_says_where) {
    selector = "";
    EXPECT_NE(fetch().why.message.find("missing a selector"), std::string::npos);
    selector = "app=llm";
    answers.erase("/apis/metrics.k8s.io/v1beta1/namespaces/ml/pods?labelSelector=app%3Dllm");
    const auto got = fetch();
    EXPECT_EQ(got.why.where.text(), "metric cpu");
    EXPECT_NE(got.why.message.find("metrics-server"), std::string::npos) << got.why.message;
    EXPECT_EQ(got.pods, nullptr);
    EXPECT_NE(got.sample.state, sample_state::ok);
}

}  // namespace
}  // namespace gputide
