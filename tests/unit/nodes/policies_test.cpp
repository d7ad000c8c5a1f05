// Policies as people hold them: Karpenter's NodePools, AKS' clusters, cluster-autoscaler's command line.
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::nodes {
namespace {

constexpr const char* node_pool_yaml = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  weight: 10
  limits: {nvidia.com/gpu: 3, nodes: "10"}
  template:
    metadata: {labels: {team: ml}}
    spec:
      nodeClassRef: {group: karpenter.azure.com, kind: AKSNodeClass, name: default}
      taints: [{key: sku, value: gpu, effect: NoSchedule}]
      requirements:
      - {key: karpenter.azure.com/sku-gpu-name, operator: In, values: [H100]}
      - {key: karpenter.azure.com/sku-gpu-count, operator: Lt, values: ["3"]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      - {key: topology.kubernetes.io/zone, operator: In, values: [eastus-1, eastus-2]}
)";

std::string pods(int count, const std::string& more = "") {
    return R"({"groups":[{"name":"g","count":)" + std::to_string(count) +
           R"(,"pod":{"requests":{"nvidia.com/gpu":1},"tolerations":[{"key":"sku","operator":"Exists"}])" + more +
           "}}]}";
}

scene read_texts(std::initializer_list<std::string> texts) {
    scene out;
    snapshot all;
    for (const std::string& text : texts) all.read("cluster", text, out.findings);
    out.of = all.finish(out.findings);
    out.how = all.how;
    return out;
}

const pool* pool_named(const scene& in, std::string_view id) {
    const auto at =
        std::find_if(in.of.pools.begin(), in.of.pools.end(), [&](const pool& pool) { return pool.id == id; });
    return at != in.of.pools.end() ? &*at : nullptr;
}

TEST(Karpenter, ANodePoolIsAPoolOfEachSizeThatItAllows) {
    scene given = read_texts({node_pool_yaml, pods(9)});
    EXPECT_EQ(given.findings.count(text::severity::error), 0U) << render(given.findings);
    ASSERT_EQ(given.of.pools.size(), 3U);  // NC40ads (1), NC80adis (2), NCC40ads (1); ND96isr has 8
    const pool* const pool = pool_named(given, "gpu/Standard_NC80adis_H100_v5");
    ASSERT_NE(pool, nullptr);
    EXPECT_EQ(pool->max, 1);  // 3 GPUs hold one node of 2
    EXPECT_EQ(pool->shape->labels.at("team"), "ml");
    EXPECT_EQ(pool->shape->labels.at("karpenter.sh/capacity-type"), "on-demand");
    EXPECT_FALSE(pool->shape->labels.contains("topology.kubernetes.io/zone"));
    EXPECT_TRUE(found(given.findings, "open-requirement", "spec.template.spec.requirements[3]"));
    EXPECT_EQ(given.how.priorities.at(0).number, 10);
}

TEST(Karpenter, LimitsHoldForAllSizesTogether) {
    scene given = read_texts({node_pool_yaml, pods(9)});
    const plan made = given.next();
    EXPECT_EQ(placed_pods(made), 3);
    std::int64_t gpus = 0;
    for (std::size_t i = 0; i < made.pools.size(); ++i)
        gpus += made.pools[i].add * given.of.pools[i].shape->allocatable.of(nvidia_gpu_name);
    EXPECT_EQ(gpus, 3);
    EXPECT_EQ(skip_text(made.pools[1].skipped), "exceeded quota: \"gpu\", resources: nvidia.com/gpu");
}

TEST(Karpenter, LimitsOfNodesCountNodes) {
    std::string two = node_pool_yaml;
    two.replace(two.find("\"10\""), 4, "\"2\"");
    two.replace(two.find("nvidia.com/gpu: 3"), 17, "cpu: 1000");
    scene given = read_texts({two, pods(9)});
    EXPECT_EQ(added_nodes(given.next()), 2);
}

TEST(Karpenter, NodesThatAreThereAreCountedBySize) {
    const auto node = [](const std::string& name, const std::string& type) {
        return R"({"kind":"Node","metadata":{"name":")" + name +
               R"(","labels":{"karpenter.sh/nodepool":"gpu","node.kubernetes.io/instance-type":")" + type +
               R"("}},"status":{"allocatable":{"cpu":"40","memory":"320Gi","nvidia.com/gpu":"1"},
               "conditions":[{"type":"Ready","status":"True"}]}})";
    };
    scene given =
        read_texts({node_pool_yaml, node("a", "Standard_NC40ads_H100_v5"), node("b", "Standard_Other"), pods(9)});
    ASSERT_EQ(given.of.pools.size(), 4U);
    EXPECT_EQ(pool_named(given, "gpu/Standard_NC40ads_H100_v5")->size, 1);
    const pool* const other = pool_named(given, "gpu/Standard_Other");
    EXPECT_EQ(other->size, 1);
    EXPECT_EQ(other->shape->allocatable.of("nvidia.com/gpu"), 1);  // the node is its template
    EXPECT_EQ(added_nodes(given.next()), 1);                       // of 3 GPUs two are there
}

TEST(Karpenter, SaysWhatItCannotTell) {
    std::string aws = node_pool_yaml;
    aws.replace(aws.find("group: karpenter.azure.com"), 26, "group: karpenter.k8s.aws");
    EXPECT_TRUE(found(read_texts({aws}).findings, "unknown-sizes", ""));
    std::string none = node_pool_yaml;
    none.replace(none.find("[H100]"), 6, "[B900]");
    EXPECT_TRUE(found(read_texts({none}).findings, "no-size", ""));
    std::string fixed = node_pool_yaml;
    fixed.replace(fixed.find("weight: 10"), 10, "replicas: 2");
    EXPECT_TRUE(found(read_texts({fixed}).findings, "static-node-pool", ""));
    EXPECT_TRUE(read_texts({fixed}).of.pools.empty());
    std::string size = node_pool_yaml;
    size.replace(size.find("karpenter.azure.com/sku-gpu-name"), 32, "node.kubernetes.io/instance-type");
    EXPECT_TRUE(found(read_texts({size}).findings, "unknown-sku", "spec.template.spec.requirements[0]"));
}

constexpr const char* agent_pool =
    R"({"name":"gpunp","vmSize":"Standard_NC24ads_A100_v4","count":1,"enableAutoScaling":true,"minCount":0,"maxCount":4,
    "nodeLabels":{"team":"ml"},"nodeTaints":["sku=gpu:NoSchedule"],"gpuInstanceProfile":"MIG2g","availabilityZones":["1"]})";

void expect_agent_pool(const scene& given) {
    EXPECT_EQ(given.findings.count(text::severity::error), 0U) << render(given.findings);
    const pool* const pool = pool_named(given, "gpunp");
    ASSERT_NE(pool, nullptr) << render(given.findings);
    EXPECT_EQ(pool->size, 1);
    EXPECT_EQ(pool->max, 4);
    EXPECT_EQ(pool->shape->allocatable.of("nvidia.com/gpu"), 3);  // slices of 2g.20gb
    EXPECT_EQ(pool->shape->labels.at("kubernetes.azure.com/agentpool"), "gpunp");
    ASSERT_EQ(pool->shape->taints.size(), 1U);
    EXPECT_EQ(pool->shape->taints[0], (taint{"sku", "gpu", "NoSchedule"}));
}

TEST(Aks, AnAgentPoolIsReadHoweverItIsPrinted) {
    expect_agent_pool(read_texts({agent_pool}));                           // az aks nodepool show
    expect_agent_pool(read_texts({"[" + std::string(agent_pool) + "]"}));  // az aks nodepool list
    expect_agent_pool(read_texts({R"({"agentPoolProfiles":[)" + std::string(agent_pool) + "]}"}));  // az aks show
    expect_agent_pool(read_texts({R"({"value":[{"name":"gpunp","properties":)" + std::string(agent_pool) + "}]}"}));
    expect_agent_pool(read_texts(
        {R"({"kind":"Base","properties":{"agentPoolProfiles":[)" + std::string(agent_pool) + "]}}"}));  // ARM
    expect_agent_pool(
        read_texts({"agentPoolProfiles:\n- name: gpunp\n  vmSize: Standard_NC24ads_A100_v4\n  count: 1\n"
                    "  enableAutoScaling: true\n  minCount: 0\n  maxCount: 4\n  nodeLabels: {team: ml}\n"
                    "  nodeTaints: ['sku=gpu:NoSchedule']\n  gpuInstanceProfile: MIG2g\n"}));
}

TEST(Aks, TheProfileIsReadInBothSpellings) {
    for (const char* const profile :
         {R"({"scaleDownUnneededTime":"3m","maxEmptyBulkDelete":"4","expander":"least-waste","scanInterval":"10s"})",
          R"({"scale-down-unneeded-time":"3m","max-empty-bulk-delete":"4","expander":"least-waste"})"}) {
        const scene given =
            read_texts({R"({"agentPoolProfiles":[],"autoScalerProfile":)" + std::string(profile) + "}"});
        EXPECT_EQ(render(given.findings), "");
        EXPECT_EQ(given.how.unneeded_ms, 180'000);
        EXPECT_EQ(given.how.max_removals, 4);
    }
    const scene wrong = read_texts({R"({"agentPoolProfiles":[],"autoScalerProfile":{"scaleDownUneededTime":"3m"}})"});
    EXPECT_TRUE(found(wrong.findings, "unknown-option", "autoScalerProfile.scaleDownUneededTime"));
}

TEST(Aks, APoolWithoutAutoscalerKeepsItsCount) {
    scene given = read_texts({R"({"name":"gpunp","vmSize":"Standard_NC40ads_H100_v5","count":2})", pods(9)});
    EXPECT_TRUE(found(given.findings, "fixed-count", ""));
    EXPECT_EQ(added_nodes(given.next()), 0);
}

TEST(Aks, NamesWhatIsWrong) {
    const scene given = read_texts({R"([{"name":"a","vmSize":"Standard_NC40ads_H100_v5","count":1,"nodeTaints":["gpu"]},
             {"name":"b","vmSize":"Standard_NC40ads_H100_v5","count":1,"gpuInstanceProfile":"MIG9g"},
             {"name":"c","vmSize":"Standard_NC40ads_H100_v5","count":1,"enableAutoScaling":true,"minCount":3,"maxCount":1},
             {"name":"d","vmSize":"Standard_NC40ads_H100_v5","count":-1},
             {"name":"e","vmSize":"Standard_NC40ads_H100_v5","count":1}])"});
    EXPECT_TRUE(found(given.findings, "taint", "[0]"));
    EXPECT_TRUE(found(given.findings, "mig-profile", "[1]"));
    EXPECT_TRUE(found(given.findings, "min-above-max", "[2]"));
    EXPECT_TRUE(found(given.findings, "negative", "[3].count"));
    EXPECT_EQ(given.of.pools.size(), 1U);
}

TEST(Flags, AreReadAsTheyAreWritten) {
    const std::string pool = R"({"pools":[{"id":"gpunp","max":1,"sku":"Standard_NC40ads_H100_v5"}]})";
    const std::string flags =
        R"(["./cluster-autoscaler","--v=4","--cloud-provider=azure","--nodes=1:7:aks-gpunp-12345678-vmss","--expander","least-waste,priority",
        "--balance-similar-node-groups","--scale-down-unneeded-time=3m","--gpu-total=nvidia.com/gpu:0:16","--leader-elect-lease-duration=1s",
        "--scale-down-unneded-time=3m","--max-nodes-total=many","--nodes=3:1:gpunp","--nodes=1:2:elsewhere"])";
    const auto check = [](const scene& given, const std::string& path) {
        EXPECT_EQ(given.how.expanders.size(), 2U);
        EXPECT_TRUE(given.how.balance_similar);
        EXPECT_EQ(given.how.unneeded_ms, 180'000);
        EXPECT_EQ(given.of.pools.at(0).min, 1);
        EXPECT_EQ(given.of.pools.at(0).max, 7);
        EXPECT_TRUE(found(given.findings, "unknown-option", path + "[10]"));
        EXPECT_TRUE(found(given.findings, "option", path + "[11]"));
        EXPECT_TRUE(found(given.findings, "min-above-max", path + "[12]"));
        EXPECT_TRUE(found(given.findings, "unknown-pool", path + "[13]"));
        EXPECT_EQ(given.findings.findings.size(), 4U) << render(given.findings);
    };
    check(read_texts({pool, R"({"options":)" + flags + "}"}), "options");
    check(read_texts({pool, R"({"kind":"Deployment","metadata":{"name":"cluster-autoscaler"},"spec":{"template":{"spec":
        {"containers":[{"name":"x","command":)" +
                                flags + "}]}}}}"}),
          "spec.template.spec.containers[0].command");
}

TEST(Flags, ThePriorityMapIsYamlInAText) {
    const std::string map =
        R"({"kind":"ConfigMap","metadata":{"name":"cluster-autoscaler-priority-expander"},"data":{"priorities":)";
    const scene given = read_texts({map + R"("10:\n- .*t4.*\n50:\n- h100\n"}})"});
    EXPECT_EQ(render(given.findings), "");
    ASSERT_EQ(given.how.priorities.size(), 2U);
    EXPECT_EQ(given.how.priorities[1].number, 50);
    EXPECT_TRUE(found(read_texts({map + R"("ten:\n- t4\n"}})"}).findings, "priority", "data.priorities"));
    EXPECT_TRUE(found(read_texts({map + R"("{"}})"}).findings, "priority", "data.priorities"));
}

TEST(Prices, AreGivenBySize) {
    const scene given = read_texts({node_pool_yaml, R"({"options":{"prices":{"Standard_NC40ads_H100_v5":6.98}}})"});
    EXPECT_DOUBLE_EQ(pool_named(given, "gpu/Standard_NC40ads_H100_v5")->price_per_hour.value_or(0.0), 6.98);
    EXPECT_FALSE(pool_named(given, "gpu/Standard_NC80adis_H100_v5")->price_per_hour);
}

}  // namespace
}  // namespace gputide::nodes
