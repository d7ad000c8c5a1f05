// Compares with cluster-autoscaler 1.36.1, for pods and nodes that are not plain pending or running ones.  Each expectation is
// its own RunOnce's answer to the same objects.
#include "nodes/expander.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::nodes {
namespace {

constexpr std::string_view upstream_pool =
    R"({"pools":[{"id":"gpu","size":1,"max":10,"allocatable":{"cpu":"40","memory":"320Gi","pods":110,"nvidia.com/gpu":1}}]})"
    "\n---\n";

std::int64_t added(scene given) { return added_nodes(given.next()); }

TEST(Upstream, PodLevelResourcesReplaceThoseOfContainers) {
    std::string text = R"({"pools":[{"id":"cpu","max":10,"allocatable":{"cpu":"16","memory":"64Gi","pods":110}}]})"
                       "\n---\n";
    for (const std::string_view name : {"a", "b", "c", "d"})
        text += pod_text(name, "{}", R"(,"resources":{"requests":{"cpu":"12","memory":"16Gi"}})", waits);
    EXPECT_EQ(added(read_scene(text)), 4);
}

TEST(Upstream, APodThatIsResizedCountsWithTheLargerSize) {
    const std::string text = pod_text(
        "a", R"({"cpu":"2"})", on_node("n"),
        R"({"phase":"Running","containerStatuses":[{"name":"c","allocatedResources":{"cpu":"6"},"resources":{"requests":{"cpu":"4"}}}]})");
    const scene given = read_scene(node_text("n", gpu_node) + text);
    EXPECT_EQ(given.of.nodes[0].pods[0].placement.requests.of(cpu_name), 6000);
}

// The largest sum counts, not the sum of the largest: one container has become larger, the other one smaller.
TEST(Upstream, APodThatIsResizedCountsWithTheLargestSum) {
    const auto cpu_of = [](const std::string& conditions) {
        const scene given = read_scene(
            node_text("n", gpu_node) +
            filled(
                R"({"kind":"Pod","metadata":{"name":"a"},"spec":{"nodeName":"n","containers":[)"
                R"({"name":"c","resources":{"requests":{"cpu":"5"}}},{"name":"d","resources":{"requests":{"cpu":"1"}}}]},)"
                R"("status":{"phase":"Running","conditions":[@],"containerStatuses":[)"
                R"({"name":"c","allocatedResources":{"cpu":"1"}},{"name":"d","allocatedResources":{"cpu":"3"}}]}})",
                {conditions}));
        return given.of.nodes[0].pods[0].placement.requests.of(cpu_name);
    };
    EXPECT_EQ(cpu_of(""), 6000);
    EXPECT_EQ(cpu_of(R"({"type":"PodResizePending","status":"True","reason":"Infeasible"})"), 4000);
}

TEST(Upstream, AResizedPodAsAWholeCountsWithTheLargerSize) {
    const scene given = read_scene(
        node_text("n", gpu_node) +
        pod_text("a", R"({"cpu":"1"})", on_node("n") + R"(,"resources":{"requests":{"cpu":"2"}})",
                 R"({"phase":"Running","allocatedResources":{"cpu":"3"},"resources":{"requests":{"cpu":"4"}}})"));
    EXPECT_EQ(given.of.nodes[0].pods[0].placement.requests.of(cpu_name), 4000);
}

TEST(Upstream, ASidecarHoldsItsHostPort) {
    const auto init = [](std::string_view policy) {
        return filled(R"(,"initContainers":[{"name":"i"@,"ports":[{"containerPort":80,"hostPort":80}]}])", {policy});
    };
    const std::string sidecar = init(R"(,"restartPolicy":"Always")");
    const auto left = [&](const std::string& more) {
        return read_scene(node_text("n", gpu_node) + pod_text("a", "{}", on_node("n") + sidecar, runs) +
                          pod_text("b", "{}", more, waits))
            .next()
            .groups[0]
            .left;
    };
    EXPECT_EQ(left(sidecar), 1);
    EXPECT_EQ(left(init("")), 0);
}

TEST(Upstream, AFinishedPodNeedsNoPlace) {
    scene given =
        read_scene(R"({"pools":[{"id":"gpu","size":2,"max":5}]})"
                   "\n---\n" +
                   node_text("n0", gpu_node) + node_text("n1", gpu_node) + pod_text("run", a_gpu, on_node("n0"), runs) +
                   pod_text("done", a_gpu, on_node("n1"), R"({"phase":"Succeeded"})", "Job"));
    given.next();
    const plan made = given.next(now_ms + 661'000);
    EXPECT_EQ(made.nodes[1].why, stay::no_reason);
    EXPECT_TRUE(made.nodes[1].removal->empty);
}

TEST(Upstream, ANominatedPodIsOnItsNode) {
    const std::string running = pod_text("low", a_gpu, on_node("n"), runs);
    EXPECT_EQ(added(read_scene(std::string(upstream_pool) + node_text("n", gpu_node) + running +
                               pod_text("high", a_gpu, "", R"({"phase":"Pending","nominatedNodeName":"n"})"))),
              0);
    EXPECT_EQ(added(read_scene(std::string(upstream_pool) + node_text("n", gpu_node) + running +
                               pod_text("high", a_gpu, "", waits))),
              1);
}

TEST(Upstream, ARunningPodBelowTheCutoffLeavesItsPlace) {
    const std::string text = std::string(upstream_pool) + node_text("n", gpu_node) +
                             pod_text("low", a_gpu, on_node("n") + R"(,"priority":-100)", runs) +
                             pod_text("train", a_gpu, "", waits);
    const scene given = read_scene(text);
    EXPECT_EQ(added(given), 0);
    ASSERT_EQ(given.of.not_planned.size(), 1U);
    EXPECT_EQ(given.of.not_planned[0].why, "below_priority_cutoff");
}

TEST(Upstream, AStartupTaintMeansThatTheNodeIsOnItsWay) {
    const std::string events = R"({"events":[{"kind":"added","pool":"gpu","nodes":1,"time_ms":1800000000000}]})"
                               "\n---\n";
    const std::string pod = pod_text("train", a_gpu, "", waits);
    for (const std::string_view key : {"startup-taint.cluster-autoscaler.kubernetes.io/gpu-driver",
                                       "ignore-taint.cluster-autoscaler.kubernetes.io/x"}) {
        const std::string taint = filled(R"("taints":[{"key":"@","effect":"NoSchedule"}])", {key});
        const scene given = read_scene(std::string(upstream_pool) + events + node_text("n", gpu_node, taint) + pod);
        EXPECT_EQ(added(given), 0) << key;
    }
    const std::string own = R"("taints":[{"key":"own","effect":"NoSchedule"}])";
    const std::string option = R"({"options":{"startup-taint":"own"}})"
                               "\n---\n";
    EXPECT_EQ(added(read_scene(std::string(upstream_pool) + option + node_text("n", gpu_node, own) + pod)), 0);
    EXPECT_EQ(added(read_scene(std::string(upstream_pool) + node_text("n", gpu_node, own) + pod)), 1);
}

TEST(Upstream, ATemplateLosesPassingTaints) {
    const std::string pool = R"({"pools":[{"id":"gpu","size":1,"max":10}],"options":{"status-taint":"sick"}})"
                             "\n---\n";
    const std::string taints =
        R"("taints":[{"key":"ignore-taint.cluster-autoscaler.kubernetes.io/a","effect":"NoSchedule"},)"
        R"({"key":"status-taint.cluster-autoscaler.kubernetes.io/a","effect":"NoSchedule"},)"
        R"({"key":"sick","effect":"NoSchedule"},{"key":"sku","value":"gpu","effect":"NoSchedule"}])";
    const scene given = read_scene(pool + node_text("n", gpu_node, taints));
    ASSERT_TRUE(given.of.pools[0].shape);
    ASSERT_EQ(given.of.pools[0].shape->taints.size(), 1U);
    EXPECT_EQ(given.of.pools[0].shape->taints[0].key, "sku");
}

TEST(Upstream, ANodeWithoutItsGpusTakesPodsWithoutGpus) {
    const std::string node = node_text("n", R"({"cpu":"40","memory":"320Gi","pods":"110"})", "",
                                       R"(,"kubernetes.azure.com/accelerator":"nvidia")");
    EXPECT_EQ(
        added(read_scene(R"({"pools":[{"id":"gpu","size":1,"max":9},{"id":"cpu","max":9,"allocatable":{"cpu":"16"}}]})"
                         "\n---\n" +
                         node + pod_text("web", R"({"cpu":"1"})", "", waits))),
        0);
}

TEST(Upstream, APoolAtItsMinimumTakesPods) {
    scene given = read_scene(R"({"pools":[{"id":"gpu","size":1,"max":3},{"id":"system","size":1,"min":1,"max":3}],)"
                             R"("nodes":[{"name":"s","pool":"system","allocatable":{"cpu":"16","memory":"64Gi"}}]})"
                             "\n---\n" +
                             node_text("w", R"({"cpu":"16","memory":"64Gi","pods":"110"})") +
                             pod_text("small", R"({"cpu":"1"})", on_node("w"), runs));
    const plan made = given.next();
    ASSERT_EQ(made.nodes.size(), 2U);
    EXPECT_EQ(made.nodes[0].why, stay::min_size_reached);
    ASSERT_TRUE(made.nodes[1].removal);
    EXPECT_TRUE(made.nodes[1].removal->may_go());
}

TEST(Upstream, OnlyAsManyNodesAreUnneededAsCanGo) {
    std::string text = R"({"pools":[{"id":"gpu","size":60,"max":99}]})"
                       "\n---\n";
    for (int i = 0; i < 60; ++i) text += node_text("n" + std::to_string(i), gpu_node);
    const plan made = read_scene(text).next();
    const auto unneeded = std::count_if(made.nodes.begin(), made.nodes.end(),
                                        [](const node_result& node) { return node.unneeded_since_ms.has_value(); });
    EXPECT_EQ(unneeded, 20);
    EXPECT_EQ(made.nodes[20].why, stay::too_many_candidates);
}

TEST(Upstream, AStartingNodeIsNoCandidate) {
    scene given = read_scene(std::string(upstream_pool) +
                             R"({"events":[{"kind":"added","pool":"gpu","nodes":1,"time_ms":1800000000000}]})"
                             "\n---\n" +
                             node_text("n", R"({"cpu":"40","memory":"320Gi","pods":"110"})", "",
                                       R"(,"kubernetes.azure.com/accelerator":"nvidia")"));
    given.before.requests["gpu"] = {1, now_ms};
    const plan made = given.next(now_ms + 120'000);
    EXPECT_EQ(made.nodes[0].why, stay::starting);
    EXPECT_FALSE(made.nodes[0].unneeded_since_ms);
}

TEST(Upstream, APoolOfAllOrZeroIsJudgedWhole) {
    const std::string pools =
        R"({"pools":[{"id":"a","max":10,"all_or_zero":true,"price_per_hour":98.32,"allocatable":{"cpu":"96","nvidia.com/gpu":8}},)"
        R"({"id":"b","max":10,"price_per_hour":98.32,"allocatable":{"cpu":"96","nvidia.com/gpu":8}}],)"
        R"("groups":[{"name":"train","count":1,"pod":{"requests":{"nvidia.com/gpu":1}}}],"options":)";
    const plan cheap = read_scene(pools + R"({"expander":"least-cost,gpu-waste,least-nodes"}})").next();
    EXPECT_EQ(cheap.passes[0].options[0].nodes, 10);
    EXPECT_EQ(cheap.pools[1].add, 1);
    const plan bounded = read_scene(pools + R"({"gpu-total":"nvidia.com/gpu:0:16"}})").next();
    EXPECT_EQ(bounded.pools[0].skipped.why, skip::quota);
}

TEST(Upstream, SimilarPoolsShareNodesInTheOrderOfTheirSizes) {
    const std::vector<pool_size> pools{{1, 5}, {0, 5}};
    EXPECT_EQ(balanced_sizes(pools, 2), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(balanced_sizes(pools, 4), (std::vector<std::int64_t>{2, 3}));
}

TEST(Upstream, ADaemonSetTakesItsPartOfANewPoolsNodes) {
    std::string text =
        R"({"pools":[{"id":"cpu","max":10,"allocatable":{"cpu":"16","memory":"64Gi","pods":110}}]})"
        "\n---\n"
        R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"agent"},"spec":{"template":{"spec":{"containers":)"
        R"([{"name":"c","resources":{"requests":{"cpu":"2"}}}]}}}})"
        "\n---\n";
    for (const std::string_view name : {"a", "b", "c", "d", "e", "f", "g", "h"})
        text += pod_text(name, R"({"cpu":"2"})", "", waits);
    EXPECT_EQ(added(read_scene(text)), 2);
}

TEST(Upstream, APodOfADaemonSetOrBehindAGateIsNotPlanned) {
    scene given =
        read_scene(std::string(upstream_pool) + pod_text("agent", a_gpu, "", waits, "DaemonSet") +
                   pod_text("gated", a_gpu, R"(,"schedulingGates":[{"name":"kueue.x-k8s.io/admission"}])", waits));
    const plan made = given.next();
    EXPECT_EQ(added_nodes(made), 0);
    EXPECT_EQ(made.groups[0].left, 0);
    ASSERT_EQ(given.of.not_planned.size(), 1U);
    EXPECT_EQ(given.of.not_planned[0].why, "scheduling_gates:kueue.x-k8s.io/admission");
}

TEST(Upstream, WorkloadsCountWithoutTheirOwnPods) {
    const auto job = [](std::string_view name, std::string_view more, std::string_view status) {
        return filled(
            R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"@","namespace":"default","uid":"@"},"spec":)"
            R"({"parallelism":4,"completions":4@,"template":{"spec":{"containers":[{"name":"c","resources":{"limits":)"
            R"({"nvidia.com/gpu":"1"}}}]}}},"status":@})"
            "\n---\n",
            {name, name, more, status});
    };
    std::string text(upstream_pool);
    for (const std::string_view name : {"a", "b", "c", "d"}) text += pod_text(name, a_gpu, "", waits, "Job");
    text += job("o", "", R"({"active":4})");
    text += job("done", "", R"({"succeeded":4,"conditions":[{"type":"Complete","status":"True"}]})");
    text += job("held", R"(,"suspend":true)", "{}");
    EXPECT_EQ(added(read_scene(text)), 4);
    EXPECT_EQ(
        added(read_scene(std::string(upstream_pool) + job("half", "", R"({"active":2,"ready":2,"succeeded":1})"))), 1);
}

TEST(Upstream, PlaceholdersOfAnEarlierPlanLeaveTheirPlace) {
    const std::string pod = pod_text("ph", a_gpu, on_node("n") + R"(,"priority":-10)", runs, "ReplicaSet",
                                     R"({"gputide.io/placeholder":"gpu"})");
    const scene given =
        read_scene(std::string(upstream_pool) + node_text("n", gpu_node) + pod +
                   R"({"groups":[{"name":"tomorrow","count":1,"pod":{"requests":{"nvidia.com/gpu":1}}}]})");
    EXPECT_TRUE(given.of.nodes[0].held);
    EXPECT_EQ(added(given), 0);
}

TEST(Upstream, AVolumeKeepsItsPodInItsZone) {
    const std::string pools =
        R"({"pools":[{"id":"z1","max":9,"allocatable":{"cpu":"40"},"labels":{"topology.kubernetes.io/zone":"1"}},)"
        R"({"id":"z2","max":9,"allocatable":{"cpu":"40"},"labels":{"topology.kubernetes.io/zone":"2"}}]})"
        "\n---\n" +
        pod_text("train", R"({"cpu":"1"})", R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}])",
                 waits);
    const std::string claim =
        R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":"default"},"spec":{"volumeName":"pv"}})"
        "\n---\n";
    const std::string volume =
        R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{"nodeAffinity":{"required":)"
        R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"topology.kubernetes.io/zone","operator":"In","values":["2"]}]}]}}}})";
    EXPECT_EQ(read_scene(pools + claim + volume).next().pools[1].add, 1);
    const plan unknown = read_scene(pools).next();
    EXPECT_EQ(added_nodes(unknown), 0);
    EXPECT_EQ(unknown.groups[0].held, waits_for::unmodeled);
    EXPECT_EQ(unknown.groups[0].left, 1);
}

TEST(Upstream, ALabelOfAVolumeKeepsItsPodFromNodesOfOtherZones) {
    const std::string text =
        pod_text("train", R"({"cpu":"1"})", R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}])",
                 waits) +
        R"({"kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":"default"},"spec":{"volumeName":"pv"}})"
        "\n---\n"
        R"({"kind":"PersistentVolume","metadata":{"name":"pv","labels":{"failure-domain.beta.kubernetes.io/zone":"a__b"}},"spec":{}})"
        "\n---\n";
    const auto left = [&](std::string_view labels) {
        return read_scene(text + node_text("n", gpu_node, "", labels)).next().groups[0].left;
    };
    EXPECT_EQ(left(R"(,"topology.kubernetes.io/zone":"b")"), 0);
    EXPECT_EQ(left(R"(,"topology.kubernetes.io/zone":"c")"), 1);
    EXPECT_EQ(left(R"(,"topology.kubernetes.io/region":"b")"), 1);
    EXPECT_EQ(left(""), 0);  // a cluster without zones
}

}  // namespace
}  // namespace gputide::nodes
