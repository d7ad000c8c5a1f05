// Gangs: all pods of a group get a place, or none.
#include "base/format_text.hpp"
#include "nodes/report/json.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::nodes {
namespace {

std::string pool_of(int max) {
    return format_text(
        R"({"pools":[{"id":"gpu","max":{},"allocatable":{"cpu":"96","memory":"900Gi","nvidia.com/gpu":8}}]})", max);
}

std::string pod_text(const std::string& name, int gpus, const std::string& metadata, const std::string& spec = {}) {
    return format_text(
        R"({"kind":"Pod","metadata":{"name":"{}","namespace":"ml","ownerReferences":[{"kind":"StatefulSet",
        "name":"{}","uid":"{}","controller":true}],{}},"spec":{{}"containers":[{"name":"c","resources":{"limits":{
        "nvidia.com/gpu":"{}"}}}]},"status":{"phase":"Pending"}})",
        name, name, name, metadata, spec, gpus);
}

scene read(const std::string& pools, const std::string& objects) {
    scene out;
    snapshot all;
    all.read("pools", pools, out.findings);
    all.read("cluster", R"({"kind":"List","apiVersion":"v1","items":[)" + objects + "]}", out.findings);
    out.of = all.finish(out.findings);
    out.how = all.how;
    out.how.wait_for_new_pods = false;
    return out;
}

std::string lws_pod(int group, int worker, int gpus = 8) {
    return pod_text(format_text("llm-{}-{}", group, worker), gpus,
                    format_text(R"("labels":{"leaderworkerset.sigs.k8s.io/name":"llm",
                        "leaderworkerset.sigs.k8s.io/group-index":"{}"})",
                                group));
}

TEST(Gang, PlacesWholeGroupsOnly) {
    std::string pods;
    for (int group = 0; group < 3; ++group) {
        for (int worker = 0; worker < 4; ++worker) pods += (pods.empty() ? "" : ",") + lws_pod(group, worker);
    }
    scene given = read(pool_of(10), pods);
    const plan made = given.next();
    EXPECT_EQ(added_nodes(made), 8);  // two groups of 4 nodes: the third would get 2 of 4
    EXPECT_EQ(placed_pods(made), 8);
    EXPECT_EQ(made.groups[8].held, waits_for::gang);
    EXPECT_EQ(
        help_for(given.of, made, 8),
        std::vector<std::string>{"LeaderWorkerSet ml/llm-2 needs places for all of its pods at once: 0 pods run and 2 "
                                 "would have a place"});
    EXPECT_NE(plan_json(given.of, made, given.findings, now_ms).find(R"("gang":"LeaderWorkerSet ml/llm-2")"),
              std::string::npos);
}

TEST(Gang, LeavesTheGangOfTheLowestPriority) {
    const std::string job = R"("labels":{"jobset.sigs.k8s.io/jobset-name":")";
    scene given = read(pool_of(2), pod_text("a-0", 8, job + "a\"}") + "," + pod_text("a-1", 8, job + "a\"}") + "," +
                                       pod_text("b-0", 8, job + "b\"}", R"("priority":1000,)") + "," +
                                       pod_text("b-1", 8, job + "b\"}", R"("priority":1000,)"));
    const plan made = given.next();
    EXPECT_EQ(made.gangs_left.size(), 1U);
    EXPECT_EQ(made.gangs_left.begin()->first, "JobSet ml/a");
    EXPECT_EQ(added_nodes(made), 2);
}

TEST(Gang, NeedsTheMinimumOfItsPodGroup) {
    const auto placed = [](const std::string& group, const std::string& member) {
        std::string objects = group;
        for (int i = 0; i < 4; ++i)
            objects += "," + pod_text(format_text("p-{}", i), 8, R"("labels":{"app":"x"})", member);
        return placed_pods(read(pool_of(3), objects).next());
    };
    const std::string member = R"("schedulingGroup":{"podGroupName":"g"},)";
    const auto group = [](const std::string& policy) {
        return R"({"kind":"PodGroup","apiVersion":"scheduling.k8s.io/v1alpha2","metadata":{"name":"g","namespace":"ml"},"spec":{)" +
               policy + "}}";
    };
    EXPECT_EQ(placed(group(R"("schedulingPolicy":{"gang":{"minCount":4}})"), member), 0);
    EXPECT_EQ(placed(group(R"("schedulingPolicy":{"gang":{"minCount":3}})"), member), 3);
    EXPECT_EQ(placed(group(R"("schedulingPolicy":{"basic":{}})"), member), 3);
    EXPECT_EQ(placed(group(R"("minMember":4)"), member), 0);
}

TEST(Gang, ReadsObjectsThatStandForPods) {
    const auto nodes_for = [](const std::string& objects, int max) {
        scene given = read(pool_of(max), objects);
        EXPECT_EQ(render(given.findings), "");
        return added_nodes(given.next());
    };
    const std::string inner = R"({"spec":{"containers":[{"name":"c","resources":{"limits":{"nvidia.com/gpu":"8"}}}]}})";
    const std::string lws =
        R"({"kind":"LeaderWorkerSet","metadata":{"name":"llm","namespace":"ml"},"spec":{"replicas":2,
        "leaderWorkerTemplate":{"size":3,"workerTemplate":)" +
        inner + "}}}";
    EXPECT_EQ(nodes_for(lws, 10), 6);
    EXPECT_EQ(nodes_for(lws, 5), 3);
    // Its pods are listed: they are what is pending.
    EXPECT_EQ(nodes_for(lws + "," + lws_pod(0, 0) + "," + lws_pod(1, 0), 10), 2);
    const std::string job_set =
        R"({"kind":"JobSet","metadata":{"name":"train","namespace":"ml"},"spec":{"replicatedJobs":[
        {"name":"w","replicas":2,"template":{"spec":{"parallelism":3,"template":)" +
        inner + "}}}]}}";
    EXPECT_EQ(nodes_for(job_set, 6), 6);
    EXPECT_EQ(nodes_for(job_set, 5), 0);
    const std::string workload =
        R"({"kind":"Workload","apiVersion":"kueue.x-k8s.io/v1beta1","metadata":{"name":"w","namespace":"ml"},
        "spec":{"podSets":[{"name":"main","count":4,"template":)" +
        inner + "}]}";
    EXPECT_EQ(nodes_for(workload + "}", 10), 4);
    EXPECT_EQ(nodes_for(workload + R"(,"status":{"conditions":[{"type":"Admitted","status":"True"}]}})", 10), 0);
    const std::string of_template =
        R"({"kind":"PodTemplate","metadata":{"name":"t","namespace":"ml"},"template":)" + inner + "}";
    EXPECT_EQ(
        nodes_for(of_template + R"(,{"kind":"ProvisioningRequest","metadata":{"name":"r","namespace":"ml"},"spec":{
        "provisioningClassName":"best-effort-atomic-scale-up.autoscaling.x-k8s.io","podSets":[{"count":3,"podTemplateRef":{
        "name":"t"}}]}})",
                  2),
        0);
    EXPECT_EQ(nodes_for(of_template + R"(,{"kind":"CapacityBuffer","metadata":{"name":"b","namespace":"ml"},"spec":{
        "podTemplateRef":{"name":"t"},"replicas":3}})",
                        2),
              2);  // a buffer takes what there is
}

// Kueue's ProvisioningRequest belongs to its Workload, and the Workload to what it admits.
TEST(Gang, CountsTheSamePodsOnce) {
    const std::string inner = R"({"spec":{"containers":[{"name":"c","resources":{"limits":{"nvidia.com/gpu":"8"}}}]}})";
    const auto owner = [](const std::string& kind, const std::string& name) {
        return format_text(R"(,"ownerReferences":[{"kind":"{}","name":"{}","uid":"u","controller":true}])", kind, name);
    };
    const auto workload = [&](const std::string& more, const std::string& status = {}) {
        return R"({"kind":"Workload","metadata":{"name":"w","namespace":"ml")" + more +
               R"(},"spec":{"podSets":[{"name":"main","count":4,"template":)" + inner + "}]}" + status + "}";
    };
    const std::string request =
        R"({"kind":"PodTemplate","metadata":{"name":"t","namespace":"ml"},"template":)" + inner +
        R"(},{"kind":"ProvisioningRequest","metadata":{"name":"w-check-1","namespace":"ml")" + owner("Workload", "w") +
        R"(},"spec":{"podSets":[{"count":4,"podTemplateRef":{"name":"t"}}]}})";
    const auto nodes_for = [](const std::string& objects) {
        scene given = read(pool_of(20), objects);
        EXPECT_EQ(render(given.findings), "");
        return added_nodes(given.next());
    };
    EXPECT_EQ(nodes_for(workload({}) + "," + request), 4);
    EXPECT_EQ(nodes_for(request), 4) << "without its Workload";
    EXPECT_EQ(
        nodes_for(workload({}, R"(,"status":{"conditions":[{"type":"Admitted","status":"True"}]})") + "," + request),
        4);
    const std::string job_set =
        R"({"kind":"JobSet","metadata":{"name":"train","namespace":"ml"},"spec":{"replicatedJobs":[
        {"name":"w","template":{"spec":{"parallelism":4,"template":)" +
        inner + "}}}]}}";
    EXPECT_EQ(nodes_for(job_set + "," + workload(owner("JobSet", "train")) + "," + request), 4);
    const std::string job =
        R"({"kind":"Job","metadata":{"name":"train","namespace":"ml"},"spec":{"parallelism":4,"template":)" + inner +
        "}}";
    EXPECT_EQ(nodes_for(job + "," + workload(owner("Job", "train"))), 4);
    EXPECT_EQ(nodes_for(job + "," + workload(owner("Job", "another"))), 8);
}

// The output of --buffers is applied and listed again: it does not count as load, and its empty nodes count as held.
TEST(Gang, DoesNotFollowItsOwnBuffers) {
    const std::string pools =
        R"({"pools":[{"id":"gpu","max":10}],"groups":[{"name":"forecast","count":2,"pod":{"requests":{
        "nvidia.com/gpu":8}}}]})";
    std::string objects;
    for (int i = 0; i < 3; ++i)
        objects += format_text(R"({"kind":"Node","metadata":{"name":"n{}","labels":{"agentpool":"gpu"}},"status":{
            "allocatable":{"cpu":"96","memory":"1900Gi","pods":"110","nvidia.com/gpu":"8"},
            "conditions":[{"type":"Ready","status":"True"}]}},)",
                               i);
    objects += R"({"kind":"PodTemplate","metadata":{"name":"gputide-buffer-gpu","namespace":"ml"},"template":{"spec":{
        "nodeSelector":{"agentpool":"gpu"},"containers":[{"name":"pause","resources":{"limits":{"nvidia.com/gpu":8}}}]}}},
        {"kind":"CapacityBuffer","metadata":{"name":"gputide-buffer-gpu","namespace":"ml","labels":{
        "gputide.io/placeholder":"gpu"}},"spec":{"podTemplateRef":{"name":"gputide-buffer-gpu"},"replicas":3}},
        {"kind":"Deployment","metadata":{"name":"gputide-placeholder-gpu","namespace":"ml"},"spec":{"replicas":3,"template":{
        "metadata":{"labels":{"gputide.io/placeholder":"gpu"}},"spec":{"containers":[{"name":"pause","resources":{
        "limits":{"nvidia.com/gpu":8}}}]}}}})";
    scene given = read(pools, objects);
    EXPECT_EQ(render(given.findings), "");
    const plan made = given.next();
    EXPECT_EQ(added_nodes(made), 0);
    ASSERT_EQ(made.groups.size(), 1U) << "the forecast alone";
    EXPECT_NE(plan_json(given.of, made, given.findings, now_ms).find(R"("held":2)"), std::string::npos)
        << "of the three nodes of the buffer two are still needed";
}

TEST(Gang, LeavesOutGangsThatShareADomain) {
    scene given =
        read(pool_of(10), pod_text("p-0", 8, R"("labels":{"jobset.sigs.k8s.io/jobset-name":"a"},"annotations":{
        "alpha.jobset.sigs.k8s.io/exclusive-topology":"rack"})"));
    const plan made = given.next();
    EXPECT_EQ(placed_pods(made), 0);
    EXPECT_EQ(made.groups[0].held, waits_for::gang);
    EXPECT_EQ(
        given.of.pending[0].pod.placement.unmodeled,
        std::vector<std::string>{"its gang needs nodes with one value of rack, which this plan does not look at"});
}

}  // namespace
}  // namespace gputide::nodes
