// GPUs by pods: what the kubelet says, which GPUs that chooses, and fetches that ask it first.
#include "fetching.hpp"
#include "source/gpu/meter.hpp"
#include "source/grpc/grpc.hpp"
#include "unit/auth/fake_surroundings.hpp"

namespace gputide {
namespace {

using source::grpc::put_bytes;

struct holding {
    std::string pod, name_space, container;
    std::vector<std::string> devices;
};

std::string response_of(const std::vector<holding>& pods) {
    std::string out;
    for (const holding& entry : pods) {
        std::string devices;
        put_bytes(devices, 1, "nvidia.com/gpu");
        for (const std::string& id : entry.devices) put_bytes(devices, 2, id);
        std::string container;
        put_bytes(container, 1, entry.container);
        put_bytes(container, 2, devices);
        std::string pod;
        put_bytes(pod, 1, entry.pod);
        put_bytes(pod, 2, entry.name_space);
        put_bytes(pod, 3, container);
        put_bytes(out, 1, pod);
    }
    return out;
}

testing::scripted_answer kubelet_says(const std::string& message, const char* status = "0") {
    std::string body(5, '\0');
    body[3] = static_cast<char>(message.size() >> 8);
    body[4] = static_cast<char>(message.size());
    return testing::scripted(200, body + message, {{"content-type", "application/grpc"}, {"grpc-status", status}});
}

class NvmlPods : public testing::nvml_fetching {
  protected:
    NvmlPods() {
        machine.add("GPU-0").busy = 90;
        machine.add("GPU-1").busy = 40;
        machine.add("GPU-2").busy = 10;
    }

    source::fetched fetch_of(const std::string& pods, const std::vector<holding>& held, const metadata& more = {}) {
        loop->answer_next(kubelet_says(response_of(held)));
        metadata all = more;
        all["pods"] = pods;
        return fetch(all);
    }

    static std::string label(const source::series& of, const std::string& name) {
        for (const auto& [key, value] : of.labels) {
            if (key == name) return value;
        }
        return "-";
    }
};

TEST_F(NvmlPods, CountTheGpusThatTheyHold) {
    wanted = source::detail::everything;
    const std::vector<holding> held = {{"llm-a", "ml", "server", {"GPU-0", "GPU-1"}}, {"llm-a", "dev", "x", {"GPU-2"}}};
    const auto got = fetch_of("ml/llm-a", held);
    EXPECT_EQ(got.sample.value, 65.0) << got.why.message;
    ASSERT_EQ(got.reading.series.size(), 2U);
    EXPECT_EQ(label(got.reading.series[1], "UUID"), "GPU-1");
    EXPECT_EQ(label(got.reading.series[1], "pod"), "llm-a");
    EXPECT_EQ(label(got.reading.series[1], "namespace"), "ml");
    EXPECT_EQ(label(got.reading.series[1], "container"), "server");
    EXPECT_NEAR(fetch_of("llm-a", held).sample.value, 140.0 / 3, 1e-9);
    EXPECT_EQ(fetch_of("dev/*", held).sample.value, 10.0);
    EXPECT_EQ(fetch_of("ml/llm-*,dev/llm-b", held).sample.value, 65.0);
    const auto asked = loop->requests().front().what;
    EXPECT_EQ(asked.unix_socket, "/var/lib/kubelet/pod-resources/kubelet.sock");
    EXPECT_EQ(asked.url, "http://kubelet/v1.PodResourcesLister/List");
    EXPECT_TRUE(asked.is_http2);
    EXPECT_FALSE(asked.use_proxy);
}

TEST_F(NvmlPods, OwnTheProcessesOfTheirGpus) {
    machine.gpus[0]->processes = {{4'711, 1'000, 0.75}};
    machine.gpus[1]->processes = {{4'712, 3'000, 0.25}};
    wanted = source::detail::everything;
    const std::vector<holding> held = {{"llm-a", "ml", "server", {"GPU-0"}}, {"llm-b", "ml", "server", {"GPU-1"}}};
    const auto got = fetch_of("llm-b", held, {{"metric", "process_memory_bytes"}});
    EXPECT_EQ(got.sample.value, 3'000.0) << got.why.message;
    ASSERT_EQ(got.reading.series.size(), 1U);
    EXPECT_EQ(label(got.reading.series[0], "pid"), "4712");
    EXPECT_EQ(label(got.reading.series[0], "pod"), "llm-b");
}

TEST_F(NvmlPods, AreNotToldApartOnASharedGpu) {
    wanted = source::detail::everything;
    const std::vector<holding> held = {{"llm-a", "ml", "server", {"GPU-0::0"}},
                                       {"llm-b", "ml", "server", {"GPU-0::1"}}};
    auto got = fetch_of("llm-a", held);
    EXPECT_EQ(got.why.status, status::no_data);
    EXPECT_EQ(got.why.message.find("GPU-0 is shared by the pods ml/llm-a, ml/llm-b (time-slicing or MPS)"), 0U)
        << got.why.message;
    EXPECT_NE(got.why.message.find("select processes by containers"), std::string::npos);
    got = fetch_of("llm-*", held);  // all sharers of it are wanted
    EXPECT_EQ(got.sample.value, 90.0);
    EXPECT_EQ(label(got.reading.series[0], "pod"), "-");
    got = fetch_of("llm-a", {held[0]});  // a replica of a shared GPU, and no other pod has one
    EXPECT_EQ(label(got.reading.series[0], "pod"), "llm-a");
    got = fetch_of("llm-a", {held[0], {"llm-a", "ml", "sidecar", {"GPU-0::1"}}});
    EXPECT_EQ(label(got.reading.series[0], "pod"), "llm-a");
    EXPECT_EQ(label(got.reading.series[0], "container"), "-");
}

TEST_F(NvmlPods, ThatHoldNoGpuAreNamed) {
    auto got = fetch_of("llm-a,dev/x*", {{"web", "ml", "x", {"GPU-0"}}, {"nic", "ml", "x", {"0000:3b:00.0"}}});
    EXPECT_EQ(got.why.status, status::no_data);
    EXPECT_EQ(got.why.message, "no pod llm-a or dev/x* uses a GPU of this node; these do: ml/web");
    EXPECT_NE(fetch_of("llm-a", {}).why.message.find("no pod uses one through a device plugin"), std::string::npos);
    got = fetch_of("llm-a", {{"llm-a", "ml", "x", {"GPU-7"}}});
    EXPECT_NE(got.why.message.find("this machine has no GPU or instance GPU-7"), std::string::npos) << got.why.message;
}

TEST_F(NvmlPods, NeedAKubeletThatAnswers) {
    const metadata wanted_pods = {{"pods", "llm"}};
    loop->answer_next(testing::scripted_fault(http::fault::connect, "cannot connect to /x: Permission denied"));
    auto got = fetch(wanted_pods);
    EXPECT_EQ(got.why.status, status::not_here);
    EXPECT_EQ(got.why.where.text(), "trigger 0 (nvml)");
    for (const char* part : {"Permission denied", "/var/lib/kubelet/pod-resources", "GPUTIDE_KUBELET_SOCKET", "root"})
        EXPECT_NE(got.why.message.find(part), std::string::npos) << got.why.message;
    loop->answer_next(kubelet_says("", "8"));
    got = fetch(wanted_pods);
    EXPECT_EQ(got.why.status, status::throttled);
    EXPECT_EQ(got.why.message, "the kubelet returned RESOURCE_EXHAUSTED (grpc-status 8)");
    loop->answer_next(testing::scripted(200, "hello", {{"content-type", "text/plain"}}));
    EXPECT_NE(fetch(wanted_pods).why.message.find("pod-resources socket"), std::string::npos);
    for (const char* damaged : {"\x0a\x05\x0a", "\x0a\x03\x1a\x05\x0a", "\x0a\x03\x0a\x01\xff"}) {
        loop->answer_next(kubelet_says(damaged));
        got = fetch(wanted_pods);
        EXPECT_EQ(got.why.message, "the kubelet's answer is not a ListPodResourcesResponse");
    }
    EXPECT_EQ(fetch().sample.value, 140.0 / 3);  // without pods nothing is asked of it
}

TEST_F(NvmlPods, TheHostSaysWhereTheKubeletListens) {
    const auto host = std::make_shared<test::fake_surroundings>();
    host->variables["GPUTIDE_KUBELET_SOCKET"] = "/var/lib/k0s/kubelet/pod-resources/kubelet.sock";
    with.host = host;
    fetch_of("llm", {{"llm", "ml", "x", {"GPU-0"}}});
    EXPECT_EQ(loop->requests().front().what.unix_socket, "/var/lib/k0s/kubelet/pod-resources/kubelet.sock");
}

TEST_F(NvmlPods, OfATenantNeedTheHostsWord) {
    auth::tenant_grants grants;
    with.permissions.tenant = auth::tenant(std::make_shared<const auth::tenant_grants>(grants), "ml");
    const auto refused = open({{"pods", "llm"}});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.failure().message.find("--allow-tenant kubelet=ml"), std::string::npos);
    EXPECT_TRUE(open({}));
    grants.namespaces[static_cast<std::size_t>(auth::capability::kubelet)] = {"ml"};
    with.permissions.tenant = auth::tenant(std::make_shared<const auth::tenant_grants>(grants), "ml");
    EXPECT_TRUE(open({{"pods", "llm"}}));
}

TEST_F(NvmlPods, ACancelledFetchDoesNotReadOn) {
    loop->answer_next(kubelet_says(response_of({{"llm", "ml", "x", {"GPU-0"}}})));
    bool called = false;
    const auto under_way =
        opened({{"pods", "llm"}})
            ->fetch(
                testing::noon_ms, loop->steady_ms() + 10'000, [&](const source::fetched&) { called = true; }, wanted);
    under_way->cancel();
    loop->run_until_idle();
    EXPECT_FALSE(called);
}

TEST(NvmlPodNames, AreThoseOfKubernetes) {
    using source::nvml::parse_pod;
    for (const char* text : {"", "/llm", "ml/", "ml/LLM", "llm*x", "a/b/c", "**"})
        EXPECT_FALSE(parse_pod(text)) << text;
    const auto all = parse_pod("*");
    ASSERT_TRUE(all);
    EXPECT_TRUE(all->is_beginning && all->name.empty() && all->name_space.empty());
    EXPECT_EQ(parse_pod("ml/llm-0")->name_space, "ml");
}

}  // namespace
}  // namespace gputide
