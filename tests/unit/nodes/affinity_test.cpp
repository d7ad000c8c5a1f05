// Required pod affinity and anti-affinity, and topology spread, as the scheduler's filters.
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::nodes {
namespace {

constexpr std::string_view serve = R"({"app":"serve"})";

std::string by_affinity(std::string_view kind, std::string_view key, std::string_view app) {
    return filled(R"(,"affinity":{"@":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"@",)"
                  R"("labelSelector":{"matchLabels":{"app":"@"}}}]}})",
                  {kind, key, app});
}

std::string by_spread(std::string_view key, std::string_view more = "") {
    return filled(R"(,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"@","whenUnsatisfiable":"DoNotSchedule",)"
                  R"("labelSelector":{"matchLabels":{"app":"serve"}}@}])",
                  {key, more});
}

constexpr std::string_view hostname = "kubernetes.io/hostname";
constexpr std::string_view zone = "topology.kubernetes.io/zone";
constexpr std::string_view pool_of_8 =
    R"({"pools":[{"id":"gpu","max":10,"allocatable":{"cpu":"96","memory":"1900Gi","pods":110,"nvidia.com/gpu":8}}]})"
    "\n---\n";
constexpr std::string_view zones =
    R"({"pools":[{"id":"a","max":10,"allocatable":{"cpu":"96","nvidia.com/gpu":8},"labels":{"topology.kubernetes.io/zone":"a"}},)"
    R"({"id":"b","max":10,"allocatable":{"cpu":"96","nvidia.com/gpu":8},"labels":{"topology.kubernetes.io/zone":"b"}}]@})"
    "\n---\n";

std::string some(int count, const std::string& rule) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += pod_text("serve-" + std::to_string(i), a_gpu, rule, waits, "ReplicaSet", serve);
    return out;
}

plan plan_of(const std::string& text) { return read_scene(text).next(); }

TEST(PodAffinity, PodsThatMayNotShareANodeNeedOneEach) {
    EXPECT_EQ(added_nodes(plan_of(std::string(pool_of_8) + some(4, by_affinity("podAntiAffinity", hostname, "serve")))),
              4);
    EXPECT_EQ(added_nodes(plan_of(std::string(pool_of_8) + some(4, ""))), 1);
}

TEST(PodAffinity, ARunningPodRefusesOthersBesideIt) {
    const std::string pool = R"({"pools":[{"id":"gpu","size":1,"max":10}]})"
                             "\n---\n";
    const std::string node = node_text("n", R"({"cpu":"96","memory":"1900Gi","pods":"110","nvidia.com/gpu":"8"})");
    const std::string running =
        pod_text("alone", a_gpu, on_node("n") + by_affinity("podAntiAffinity", hostname, "serve"), runs);
    EXPECT_EQ(added_nodes(plan_of(pool + node + running + some(3, ""))), 1);
}

TEST(PodAffinity, NoNodeIsRemovedWhosePodWouldStandBesideAnother) {
    const std::string rule = by_affinity("podAntiAffinity", hostname, "serve");
    const std::string eight = R"({"cpu":"96","memory":"1900Gi","pods":"110","nvidia.com/gpu":"8"})";
    const std::string nodes = R"({"pools":[{"id":"gpu","size":2,"max":10}]})"
                              "\n---\n" +
                              node_text("n0", eight) + node_text("n1", eight);
    const auto pods = [&](const std::string& more) {
        return pod_text("s0", a_gpu, on_node("n0") + more, runs, "ReplicaSet", serve) +
               pod_text("s1", a_gpu, on_node("n1") + more, runs, "ReplicaSet", serve);
    };
    const plan apart = plan_of(nodes + pods(rule));
    EXPECT_EQ(apart.nodes[0].why, stay::no_place_to_move);
    EXPECT_EQ(apart.nodes[1].why, stay::no_place_to_move);
    const plan together = plan_of(nodes + pods(""));
    EXPECT_TRUE(together.nodes[0].removal->may_go());
    EXPECT_FALSE(together.nodes[1].removal->may_go());
}

TEST(PodAffinity, ANewNodeDoesNotHelpAPodThatMustBeBesideAFullOne) {
    const std::string text = R"({"pools":[{"id":"gpu","size":1,"max":10}]})"
                             "\n---\n" +
                             node_text("n", gpu_node) +
                             pod_text("main", a_gpu, on_node("n"), runs, "ReplicaSet", R"({"app":"main"})");
    const plan made = plan_of(text + some(1, by_affinity("podAffinity", hostname, "main")));
    EXPECT_EQ(added_nodes(made), 0);
    EXPECT_EQ(made.groups[0].rejected.at("gpu"), (std::vector<reason>{{misfit::pod_affinity, {}}}));
}

TEST(PodAffinity, TheFirstPodOfAGroupThatAsksForItselfMayStart) {
    EXPECT_EQ(added_nodes(plan_of(std::string(pool_of_8) + some(4, by_affinity("podAffinity", hostname, "serve")))), 1);
    const plan larger = plan_of(std::string(pool_of_8) + some(9, by_affinity("podAffinity", hostname, "serve")));
    EXPECT_EQ(larger.groups[0].left, 1);
}

TEST(TopologySpread, OverHostsPodsAreEven) {
    const plan made = plan_of(std::string(pool_of_8) + some(4, by_spread(hostname, R"(,"minDomains":2)")));
    EXPECT_EQ(made.groups[0].left, 0);
    EXPECT_EQ(added_nodes(made), 2);
}

// PodTopologySpread of kube-scheduler 1.37.2: "missing required label".
TEST(TopologySpread, ANodeWithoutTheLabelTakesNoPod) {
    const std::string eight = R"({"cpu":"96","memory":"1900Gi","pods":"110","nvidia.com/gpu":"8"})";
    std::string node = node_text("n", eight);
    const std::string pod = some(1, by_spread(hostname));
    EXPECT_EQ(added_nodes(plan_of(std::string(pool_of_8) + node + pod)), 0);
    node.replace(node.find(hostname), hostname.size(), "example.com/rack");
    EXPECT_EQ(added_nodes(plan_of(std::string(pool_of_8) + node + pod)), 1);
}

// A node in gputide's own form is a host by its name.
TEST(TopologySpread, ANodeOfGputideNeedsNoLabel) {
    const std::string node =
        R"({"nodes":[{"name":"n","pool":"gpu","allocatable":{"cpu":"96","memory":"1900Gi","pods":110,"nvidia.com/gpu":8}}]})"
        "\n---\n";
    EXPECT_EQ(added_nodes(plan_of(std::string(pool_of_8) + node + some(1, by_spread(hostname)))), 0);
    const std::string apart = some(2, by_affinity("podAntiAffinity", hostname, "serve"));
    EXPECT_EQ(added_nodes(plan_of(std::string(pool_of_8) + node + apart)), 1);
}

// The original puts 1 of 6 on the first zone: one pass adds one option, and the other zone has no node yet.
TEST(TopologySpread, OverZonesOneOptionHoldsNoMoreThanTheSkew) {
    const std::string once = R"(,"options":{"max-passes":1,"strict":true})";
    const std::string there =
        R"({"nodes":[{"name":"in-b","pool":"b","allocatable":{"cpu":"1"},"labels":{"topology.kubernetes.io/zone":"b"}}]})"
        "\n---\n";
    const plan made = plan_of(filled(zones, {once}) + there + some(6, by_spread(zone)));
    ASSERT_EQ(made.passes.size(), 1U);
    EXPECT_EQ(made.passes[0].options[0].pods, 1);
    const plan all = plan_of(filled(zones, {""}) + there + some(6, by_spread(zone)));
    EXPECT_EQ(all.groups[0].left, 0);
    EXPECT_EQ(all.pools[0].add, 1);
    EXPECT_EQ(all.pools[1].add, 1);
}

TEST(TopologySpread, ExistingNodesOfTwoZonesTakeTurns) {
    const std::string nodes =
        R"({"nodes":[{"name":"in-a","allocatable":{"cpu":"96","nvidia.com/gpu":8},"labels":{"topology.kubernetes.io/zone":"a"}},)"
        R"({"name":"in-b","allocatable":{"cpu":"96","nvidia.com/gpu":8},"labels":{"topology.kubernetes.io/zone":"b"}}]})"
        "\n---\n";
    const plan made = plan_of(nodes + some(6, by_spread(zone)));
    EXPECT_EQ(made.groups[0].on_nodes.at("in-a"), 3);
    EXPECT_EQ(made.groups[0].on_nodes.at("in-b"), 3);
}

TEST(TopologySpread, AnEmptySelectorCountsNoPod) {
    const std::string rule = R"(,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"kubernetes.io/hostname",)"
                             R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{}}])";
    EXPECT_EQ(added_nodes(plan_of(std::string(pool_of_8) + some(4, rule))), 1);
}

TEST(TopologySpread, CountsOnNodesWhereThePodsVolumeIsNot) {
    const std::string volume = R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}])";
    const std::string objects =
        R"({"kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":"default"},"spec":{"volumeName":"pv"}})"
        "\n---\n"
        R"({"kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":)"
        R"([{"matchExpressions":[{"key":"topology.kubernetes.io/zone","operator":"In","values":["a"]}]}]}}}})"
        "\n---\n";
    const auto in_zone = [](std::string_view name) {
        return node_text(name, R"({"cpu":"96","pods":"110","nvidia.com/gpu":"8"})", "",
                         filled(R"(,"topology.kubernetes.io/zone":"@")", {name}));
    };
    const std::string running = pod_text("r", a_gpu, on_node("a"), runs, "ReplicaSet", serve);
    EXPECT_EQ(
        plan_of(objects + in_zone("a") + in_zone("b") + running + some(1, by_spread(zone) + volume)).groups[0].left, 1);
}

TEST(PodAffinity, ASelectorOfNamespacesIsNotModeled) {
    const std::string rule =
        R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone",)"
        R"("labelSelector":{},"namespaceSelector":{"matchLabels":{"team":"a"}}}]}})";
    const plan made = plan_of(std::string(pool_of_8) + some(1, rule));
    EXPECT_EQ(made.groups[0].held, waits_for::unmodeled);
}

// Similar pools share new nodes: the pods on them are in several zones, not in that of the pool that was chosen.
TEST(PodAffinity, NodesOfSimilarPoolsCountInTheirOwnZones) {
    const auto pool = [](std::string_view id, std::string_view in, std::string_view more) {
        return filled(
            R"({"id":"@","max":10,"allocatable":{"cpu":"@","pods":110},"labels":{"topology.kubernetes.io/zone":"@"}})",
            {id, more, in});
    };
    const std::string pools = R"({"pools":[)" + pool("a", "a", "96") + "," + pool("b", "b", "96") + "," +
                              pool("c", "b", "8") +
                              R"(],"options":{"balance-similar-node-groups":true,"expander":"most-pods"}})"
                              "\n---\n";
    std::string text = pools;
    for (int i = 0; i < 2; ++i)
        text += pod_text("serve-" + std::to_string(i), R"({"cpu":"90"})", "", waits, "ReplicaSet", serve);
    text += pod_text(
        "apart", R"({"cpu":"2"})",
        R"(,"nodeSelector":{"topology.kubernetes.io/zone":"b"})" + by_affinity("podAntiAffinity", zone, "serve"), waits,
        "Job");
    const plan made = plan_of(text);
    EXPECT_EQ(made.pools[0].add, 1);
    EXPECT_EQ(made.pools[1].add, 1);
    EXPECT_EQ(made.pools[2].add, 0) << "a pod of serve is in zone b";
}

}  // namespace
}  // namespace gputide::nodes
