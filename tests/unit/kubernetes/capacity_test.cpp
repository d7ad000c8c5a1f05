// Pods that get no node: which ones, what the autoscaler says of them, and what two passes make of it.
#include "kubernetes/api/capacity.hpp"

#include "base/time.hpp"
#include "on_a_cluster.hpp"
#include "support.hpp"

namespace gputide::kubernetes {
namespace {

using testing::read;

const std::int64_t noon_ms = *parse_rfc3339("2026-11-27T12:00:00Z");
constexpr std::int64_t minute_ms = 60'000;

std::string pod_json(const std::string& uid, const std::string& reason, const std::string& owner,
                     const std::string& selector = "{}") {
    return R"({"metadata":{"name":"p","namespace":"ml","uid":")" + uid +
           R"(","labels":{"pod-template-hash":"7d9f"},"ownerReferences":[{"kind":"ReplicaSet","name":"other"},)" +
           owner + R"(]},"spec":{"nodeSelector":)" + selector +
           R"(},"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":")" +
           reason + R"(","lastTransitionTime":"2026-11-27T11:58:00Z"}]}})";
}

const std::string of_llm = R"({"kind":"ReplicaSet","name":"llm-7d9f","controller":true})";

std::optional<unplaced_pod> pod_in(const std::string& json) { return read(json, read_unplaced_pod); }

std::string event_json(const std::string& uid, const std::string& reason, const std::string& time,
                       const std::string& message = "") {
    return R"({"involvedObject":{"kind":"Pod","uid":")" + uid + R"("},"reason":")" + reason + R"(","lastTimestamp":")" +
           time + R"(","message":")" + message + R"("})";
}

autoscaler_verdicts verdicts_of(const std::vector<std::string>& events) {
    autoscaler_verdicts out;
    for (const std::string& event : events)
        read(event, [&](simdjson::dom::object object) {
            take_event(object, out);
            return 0;
        });
    return out;
}

const pod_owner llm{"ml", "Deployment", "llm"};

TEST(Capacity, APodWithoutANodeBelongsToItsDeployment) {
    const auto pod = pod_in(pod_json("u1", "Unschedulable", of_llm, R"({"agentpool":"gpunp"})"));
    ASSERT_TRUE(pod);
    EXPECT_EQ(pod->owner, llm);
    EXPECT_EQ(pod->pool, "gpunp");
    EXPECT_EQ(pod->since_ms, noon_ms - 2 * minute_ms);
    EXPECT_FALSE(pod_in(pod_json("u1", "SchedulingGated", of_llm))) << "it waits for something else";
    const auto set =
        pod_in(pod_json("u1", "Unschedulable", R"({"kind":"StatefulSet","name":"llm","controller":true})"));
    EXPECT_EQ(set->owner, (pod_owner{"ml", "StatefulSet", "llm"}));
}

TEST(Capacity, TheLastWordOfTheAutoscalerCounts) {
    const std::string refused =
        event_json("u1", "NotTriggerScaleUp", "2026-11-27T11:59:00Z", "pod didn't trigger scale-up: no");
    const std::string added = event_json("u1", "TriggeredScaleUp", "2026-11-27T11:58:30Z");
    for (const auto& events : {std::vector{refused, added}, std::vector{added, refused}}) {
        const autoscaler_verdicts verdicts = verdicts_of(events);
        EXPECT_TRUE(verdicts.at("u1").is_refused);
        EXPECT_EQ(verdicts.at("u1").message, "pod didn't trigger scale-up: no");
    }
    EXPECT_FALSE(
        verdicts_of({refused, event_json("u1", "TriggeredScaleUp", "2026-11-27T11:59:30Z")}).at("u1").is_refused);
    EXPECT_TRUE(verdicts_of({event_json("u1", "ScaleDown", "2026-11-27T11:59:30Z")}).empty());
    EXPECT_TRUE(verdicts_of({event_json("u1", "FailedScheduling", "2026-11-27T11:59:30Z")}).at("u1").is_refused)
        << "Karpenter's";
}

// As AKS publishes it (cluster-autoscaler 1.30 and later).
const std::string status =
    R"({"kind":"ConfigMap","data":{"status":"autoscalerStatus: Running\nnodeGroups:\n- health:\n    cloudProviderTarget: 5\n)"
    R"(    maxSize: 5\n    minSize: 0\n  name: aks-gpunp-12345678-vmss\n  scaleUp:\n    backoffInfo: {}\n    status: NoActivity\n)"
    R"(- health:\n    cloudProviderTarget: 1\n    maxSize: 3\n  name: aks-spot-12345678-vmss\n  scaleUp:\n    backoffInfo:\n)"
    R"(      errorCode: QUOTA_EXCEEDED\n    lastTransitionTime: \"2026-11-27T11:50:00Z\"\n    status: Backoff\n)"
    R"(- health:\n    cloudProviderTarget: 1\n    maxSize: 3\n  name: aks-cpu-12345678-vmss\n  scaleUp:\n    status: NoActivity\n)"
    R"(time: 2026-11-27 12:00:00.1 +0000 UTC\n"}})";

TEST(Capacity, FullPoolsAreThoseAtTheirMaximumOrInBackoff) {
    const std::vector<full_pool> pools = read_full_pools(status);
    ASSERT_EQ(pools.size(), 2U);
    EXPECT_EQ(pools[0].name, "aks-gpunp-12345678-vmss");
    EXPECT_EQ(pools[0].max, 5);
    EXPECT_TRUE(pools[1].is_backed_off);
    EXPECT_EQ(pools[1].why, "QUOTA_EXCEEDED");
    EXPECT_TRUE(
        read_full_pools(R"({"data":{"status":"Cluster-autoscaler status at 2023-11-24:\nCluster-wide:\n"}})").empty())
        << "the form before 1.30";
    EXPECT_TRUE(read_full_pools("{").empty());
}

TEST(Capacity, ARefusedPodGetsNoNodeAndALatePodNeither) {
    std::vector<unplaced_pod> pods;
    for (const char* const uid : {"refused", "coming", "unknown"})
        pods.push_back(
            *pod_in(pod_json(uid, "Unschedulable", of_llm, R"({"kubernetes.azure.com/agentpool":"gpunp"})")));
    const autoscaler_verdicts verdicts = verdicts_of(
        {event_json("refused", "NotTriggerScaleUp", "2026-11-27T11:59:00Z", "1 max node group size reached"),
         event_json("coming", "TriggeredScaleUp", "2026-11-27T11:59:00Z")});
    const auto judged = judge_pods(pods, verdicts, read_full_pools(status), noon_ms, 15 * minute_ms);
    ASSERT_TRUE(judged.contains(llm));
    EXPECT_EQ(judged.at(llm).pods, 1);
    EXPECT_EQ(judged.at(llm).late, 0);
    EXPECT_EQ(judged.at(llm).why, "aks-gpunp-12345678-vmss is at its maximum of 5; 1 max node group size reached");
    const auto late = judge_pods(pods, verdicts, {}, noon_ms + 13 * minute_ms, 15 * minute_ms);
    EXPECT_EQ(late.at(llm).pods, 2) << "its node was asked for a minute later";
    EXPECT_EQ(late.at(llm).late, 2);
    pods[0].pool.clear();
    EXPECT_EQ(
        judge_pods(pods, verdicts, read_full_pools(status), noon_ms, 15 * minute_ms).at(llm).why,
        "aks-gpunp-12345678-vmss is at its maximum of 5, aks-spot-12345678-vmss is in backoff after a failed scale-up "
        "(QUOTA_EXCEEDED) since 2026-11-27T11:50:00Z; 1 max node group size reached");
    EXPECT_EQ(judge_pods({pods[2]}, {}, {}, noon_ms, minute_ms).at(llm).why, "no node came within 1m");
}

TEST(Capacity, TwoPassesMakeAShortage) {
    target_capacity of;
    const target_capacity::rules reports{false, 15 * minute_ms};
    EXPECT_FALSE(of.take({3, 3, "full"}, 8, noon_ms, reports)) << "one pass is not enough";
    EXPECT_EQ(of.startable(), -1);
    EXPECT_TRUE(of.take({2, 2, "full"}, 8, noon_ms, reports));
    EXPECT_EQ(of.startable(), 6) << "what both passes found";
    EXPECT_FALSE(of.is_asked_back()) << "off by default";
    EXPECT_TRUE(of.take({}, 8, noon_ms, reports));
    EXPECT_EQ(of.startable(), -1);
}

TEST(Capacity, WhatIsLateIsAskedBackForAsLong) {
    target_capacity of;
    const target_capacity::rules asks{true, 15 * minute_ms};
    of.take({3, 0, "full"}, 8, noon_ms, asks);
    of.take({3, 2, "full"}, 8, noon_ms, asks);
    EXPECT_FALSE(of.is_asked_back()) << "none was late in both passes";
    EXPECT_TRUE(of.take({3, 2, "full"}, 8, noon_ms, asks));
    EXPECT_TRUE(of.is_asked_back());
    EXPECT_EQ(of.startable(), 6) << "the third pod may still get a node";
    EXPECT_FALSE(of.take({}, 6, noon_ms, asks)) << "they are gone, as they were asked back";
    EXPECT_EQ(of.startable(), 6);
    EXPECT_FALSE(of.end_due(noon_ms + 14 * minute_ms));
    EXPECT_TRUE(of.end_due(noon_ms + 15 * minute_ms));
    EXPECT_EQ(of.startable(), -1);
    EXPECT_FALSE(of.take({3, 2, "full"}, 8, noon_ms, asks)) << "again two passes";
}

// Replicas that get no node: reported, and asked back where the host says so.

struct full_cluster : on_a_cluster {
    void SetUp() override {
        on_a_cluster::SetUp();
        put_scaler({}, false);
        server.load = 42;  // 9 replicas
        server.max_ready = 2;
        server.pages["cluster-autoscaler-status"] =
            R"({"data":{"status":"nodeGroups:\n- name: aks-gpunp-1-vmss\n  health: {cloudProviderTarget: 2, maxSize: 2}\n"}})";
        server.pages["source%3Dkarpenter"] = list_of("");
        server.on_asked = [this](const http::request& asked) {
            for (const std::string part : {"/pods?", "/events?", "/configmaps/"})
                if (asked.method == "GET" && asked.url.find(part) != std::string::npos) ++requests;
            show_pods();
        };
    }
    static std::string list_of(const std::string& items) {
        return R"({"metadata":{"resourceVersion":"1"},"items":[)" + items + "]}";
    }
    // A pod for each replica without a node; the autoscaler adds none for it.
    void show_pods() {
        const std::int32_t size = server.size();
        if (size <= server.max_ready) since_ms = 0;
        if (size > server.max_ready && since_ms == 0) since_ms = loop->wall_ms();
        const std::string since = format_rfc3339_s(since_ms);
        std::string pods, events;
        for (std::int32_t i = server.max_ready; i < size; ++i) {
            const std::string uid = "u" + std::to_string(i);
            pods +=
                (pods.empty() ? "" : ",") +
                (R"({"metadata":{"name":"llm-1-)" + uid + R"(","namespace":"ml","uid":")" + uid) +
                R"(","labels":{"pod-template-hash":"1"},"ownerReferences":[{"kind":"ReplicaSet","name":"llm-1","controller":true}]},)"
                R"("spec":{},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
                R"("lastTransitionTime":")" +
                since + R"("}]}})";
            events += (events.empty() ? "" : ",") +
                      (R"({"metadata":{"name":"e)" + uid + R"("},"involvedObject":{"uid":")" + uid) +
                      R"("},"reason":"NotTriggerScaleUp","message":"1 max node group size reached","lastTimestamp":")" +
                      since + R"("})";
        }
        server.pages["/pods?"] = list_of(pods);
        server.pages["source%3Dcluster-autoscaler"] = list_of(refuses ? events : "");
    }
    bool says(const std::string& text) const { return cluster->describe().find(text) != std::string::npos; }

    std::int64_t since_ms = 0;  // Unix
    bool refuses = true;
    int requests = 0;  // about pods without nodes
};

TEST_F(full_cluster, a_part_without_nodes_is_reported_and_stays_wanted) {
    attach();
    run(20'000);
    EXPECT_EQ(server.size(), 9);
    EXPECT_TRUE(says(R"("no_capacity_count":0)")) << "one pass";
    run(40'000);
    EXPECT_TRUE(says(R"("no_capacity":[{"namespace":"ml","name":"llm","startable_replicas":2,"until_ms":0,)"
                     R"("message":"2 of 9 replicas can start: aks-gpunp-1-vmss is at its maximum of 2; )"
                     R"(1 max node group size reached"}],"no_capacity_count":1,"capacity_message":"")"))
        << cluster->describe();
    EXPECT_EQ(server.size(), 9);
    run(1'200'000);
    EXPECT_EQ(server.size(), 9) << "nothing is asked back unless the host says so";
    server.max_ready = 9;
    server.resize(9);
    run(20'000);
    EXPECT_TRUE(says(R"("no_capacity_count":0)"));
}

TEST_F(full_cluster, what_gets_no_node_in_time_is_asked_back_and_asked_for_again) {
    settings.asks_back = true;
    settings.start_ms = 60'000;
    attach();
    run(45'000);
    EXPECT_EQ(server.size(), 9) << "a node may still come";
    run(50'000);
    EXPECT_EQ(server.size(), 2);
    EXPECT_TRUE(says(R"("message":"replicas above 2 get no node and are not requested: )")) << cluster->describe();
    const std::size_t writes = server.sizes.size();
    run(30'000);
    EXPECT_EQ(server.sizes.size(), writes) << "it is not asked for meanwhile";
    run(35'000);
    EXPECT_EQ(server.size(), 9) << "and again after as long";
}

// As long as the autoscaler says nothing, a pod may still get its node.
TEST_F(full_cluster, without_a_word_of_the_autoscaler_time_tells) {
    refuses = false;
    settings.start_ms = 120'000;
    attach();
    run(100'000);
    EXPECT_TRUE(says(R"("no_capacity_count":0)"));
    run(60'000);
    EXPECT_TRUE(says(R"("no_capacity_count":1)"));
}

TEST_F(full_cluster, nothing_is_read_while_all_pods_are_ready) {
    server.max_ready = 20;
    attach();
    run(120'000);
    EXPECT_EQ(requests, 0);
    server.max_ready = 8;
    server.resize(9);
    run(60'000);
    EXPECT_GE(requests, 3 * 4);
    EXPECT_LE(requests, 4 * 4) << "each 15 s: pods, events of two autoscalers, and the status of one";
}

TEST_F(full_cluster, a_pod_of_a_rollout_beyond_the_size_is_not_missing) {
    server.max_ready = 20;
    attach();
    run(30'000);
    ASSERT_EQ(server.size(), 9);
    server.max_ready = 8;
    server.put("deployments", "llm", "", R"("spec":{"replicas":9},"status":{"replicas":10,"readyReplicas":8})");
    run(60'000);
    EXPECT_GT(requests, 0);
    EXPECT_TRUE(says(R"("no_capacity_count":0)")) << cluster->describe();
}

TEST_F(full_cluster, a_shadow_asks_nothing_back) {
    settings.shadow = true;
    settings.asks_back = true;
    settings.start_ms = 20'000;
    server.resize(9);
    attach();
    run(120'000);
    EXPECT_TRUE(says(R"("startable_replicas":2,"until_ms":0)")) << cluster->describe();
}

}  // namespace

}  // namespace gputide::kubernetes
