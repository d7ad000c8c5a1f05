// Plans from texts: what is read, what is refused, and the guide's jobs from nothing to the maximum and back.
#include "base/format_text.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::nodes {
namespace {

constexpr const char* gpu_pool =
    R"({"id":"gpunp","sku":"Standard_NC40ads_H100_v5","size":0,"max":5,"price_per_hour":6.98,
    "taints":[{"key":"sku","value":"gpu","effect":"NoSchedule"}]})";

std::string job(int number) {
    return format_text(
        R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"samples-{}"},"spec":{"template":{"spec":{
        "containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":1}}}],
        "tolerations":[{"key":"sku","operator":"Equal","value":"gpu","effect":"NoSchedule"}]}}}})",
        number);
}

std::string list(const std::string& items) { return R"({"kind":"List","apiVersion":"v1","items":[)" + items + "]}"; }

TEST(Plan, TakesTheGuidesJobsFromNothingToTheMaximumAndBack) {
    snapshot all;
    text::report findings;
    all.read("pools.json", R"({"pools":[)" + std::string(gpu_pool) + "]}", findings);
    std::string jobs = job(0);
    for (int i = 1; i < 20; ++i) jobs += "," + job(i);
    all.read("jobs.json", list(jobs), findings);
    scene given;
    given.of = all.finish(findings);
    EXPECT_EQ(render(findings), "");
    ASSERT_EQ(given.of.pending.size(), 20U);
    const plan up = given.next();
    EXPECT_EQ(up.pools[0].add, 5);
    EXPECT_EQ(placed_pods(up), 5);
    EXPECT_EQ(skip_text(up.pools[0].skipped), "max node group size reached");
    EXPECT_DOUBLE_EQ(up.added_cost_per_hour, 5 * 6.98);

    // The jobs are done; after ten minutes and more without them all nodes go.
    pool& grown = given.of.pools[0];
    grown.size = 5;
    given.of.pending.clear();
    for (int i = 0; i < 5; ++i) {
        node node;
        node.name = "gpunp-" + std::to_string(i);
        node.pool = grown.id;
        node.shape = *grown.shape;
        given.of.nodes.push_back(node);
    }
    record(given.before, event_kind::added, "gpunp", 5, now_ms, given.how);
    const plan idle = given.next(now_ms + 60'000);
    EXPECT_EQ(idle.pools[0].remove, 0);
    EXPECT_EQ(idle.nodes[0].why, stay::not_unneeded_long_enough);
    EXPECT_EQ(*idle.nodes[0].removable_at_ms, now_ms + 11 * 60'000);
    const plan down = given.next(now_ms + 11 * 60'000 + 1);
    EXPECT_EQ(down.pools[0].remove, 5);
    EXPECT_DOUBLE_EQ(down.saved_cost_per_hour, 5 * 6.98);
}

TEST(Plan, OrdersByGpuAsTheWorkedExampleSays) {
    const std::string text =
        R"({"pools":[{"id":"h8","max":9,"allocatable":{"cpu":96000,"memory":2040109465600,"nvidia.com/gpu":8}}],
        "groups":[{"name":"one","count":4,"pod":{"requests":{"cpu":14000,"memory":8589934592,"nvidia.com/gpu":1}}},
                  {"name":"six","count":2,"pod":{"requests":{"cpu":8000,"memory":68719476736,"nvidia.com/gpu":6}}}],
        "options":{"order":")";
    EXPECT_EQ(added_nodes(read_scene(text + "ca\"}}").next()), 3);
    EXPECT_EQ(added_nodes(read_scene(text + "gpu\"}}").next()), 2);
}

TEST(Plan, CountsANodeThatStartsInsteadOfBuyingAnother) {
    const std::string text = format_text(
        R"({"pools":[{"id":"p","size":1,"max":5,"allocatable":{"cpu":8000,"memory":99999999,"nvidia.com/gpu":1}}],
        "nodes":[{"name":"n","pool":"p","created_ms":{},"labels":{"kubernetes.azure.com/accelerator":"nvidia"},"allocatable":{"cpu":8000,"memory":99999999}}],
        "groups":[{"name":"g","count":1,"pod":{"requests":{"nvidia.com/gpu":1}}}]})",
        now_ms - 60'000);
    scene given = read_scene(text);
    const plan made = given.next();
    EXPECT_EQ(made.nodes[0].state, node_class::not_started);
    EXPECT_EQ(made.pools[0].upcoming, 1);
    EXPECT_EQ(added_nodes(made), 0);
    EXPECT_EQ(made.groups[0].on_existing, 1);
    // Past its time it is broken, and the pod needs another.
    EXPECT_EQ(added_nodes(given.next(now_ms + 15 * 60'000)), 1);
}

TEST(Plan, LeavesAPoolAloneThatFailed) {
    scene given = read_scene(R"({"pools":[{"id":"p","max":5,"allocatable":{"cpu":8000,"memory":99999999}}],
        "groups":[{"name":"g","count":1,"pod":{"requests":{"cpu":1000}}}]})");
    record(given.before, event_kind::failed, "p", 0, now_ms, given.how);
    const plan made = given.next(now_ms + 300'000);
    EXPECT_EQ(added_nodes(made), 0);
    EXPECT_EQ(made.pools[0].skipped.why, skip::backed_off);
    EXPECT_EQ(added_nodes(given.next(now_ms + 300'001)), 1);
}

TEST(Plan, SpreadsOverSimilarPools) {
    const std::string shape = R"(,"max":10,"allocatable":{"cpu":4000,"memory":1000000000,"pods":10}})";
    scene given = read_scene(R"({"pools":[{"id":"a","size":1)" + shape + R"(,{"id":"b","size":3)" + shape +
                             R"(],"groups":[{"name":"g","count":4,"pod":{"requests":{"cpu":4000}}}],
                             "options":{"balance-similar-node-groups":"true"}})");
    const plan made = given.next();
    EXPECT_EQ(made.pools[0].add, 3);
    EXPECT_EQ(made.pools[1].add, 1);
}

TEST(Reading, TakesKubectlsLists) {
    scene given =
        read_scene(list(R"({"kind":"Node","metadata":{"name":"n1","labels":{"kubernetes.azure.com/agentpool":"gpunp"}},
        "status":{"allocatable":{"cpu":"39720m","memory":"320Gi","nvidia.com/gpu":"1","pods":"110"},
                  "conditions":[{"type":"Ready","status":"True"}]}},
        {"kind":"Pod","metadata":{"name":"p1"},"spec":{"nodeName":"n1","initContainers":[
            {"name":"side","restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}},
            {"name":"init","resources":{"requests":{"cpu":"5"}}}],
            "containers":[{"name":"a","resources":{"requests":{"cpu":"2"},"limits":{"cpu":"4","nvidia.com/gpu":1}}}]},"status":{"phase":"Running"}})"));
    EXPECT_EQ(render(given.findings), "");
    ASSERT_EQ(given.of.nodes.size(), 1U);
    EXPECT_EQ(given.of.nodes[0].pool, "gpunp");
    ASSERT_EQ(given.of.nodes[0].pods.size(), 1U);
    const resource_list& asks = given.of.nodes[0].pods[0].placement.requests;
    EXPECT_EQ(asks.of("cpu"), 5'100);
    EXPECT_EQ(asks.of("nvidia.com/gpu"), 1);
}

TEST(Reading, NamesWhatItLeavesOutAndKeepsTheRest) {
    scene given = read_scene(
        R"({"pools":[{"id":"upside","min":3,"max":1},{"id":"good","max":2,"allocatable":{"cpu":1000,"memory":10}}],
        "nodes":[{"name":"empty"},{"name":"minus","allocatable":{"cpu":-1}},{"name":"twice","allocatable":{"cpu":1}},
                 {"name":"twice","allocatable":{"cpu":2}},{"name":"half","allocatable":{"nvidia.com/gpu":"0.5"}},
                 {"name":"thousand","allocatable":{"nvidia.com/gpu":"1e3"}}],
        "pods":[{"name":"p","requests":{"nvidia.com/gpu":0.5}},{"name":"q","requests":{"cpu":10}}]})");
    EXPECT_TRUE(found(given.findings, "min-above-max", "pools[0]"));
    EXPECT_TRUE(found(given.findings, "missing", "nodes[0]"));
    EXPECT_TRUE(found(given.findings, "negative", "nodes[1].allocatable.cpu"));
    EXPECT_TRUE(found(given.findings, "duplicate", "nodes[3]"));
    EXPECT_TRUE(found(given.findings, "fraction", "nodes[4].allocatable[\"nvidia.com/gpu\"]"));
    EXPECT_TRUE(found(given.findings, "fraction", "pods[0].requests[\"nvidia.com/gpu\"]"));
    ASSERT_EQ(given.of.nodes.size(), 2U);
    EXPECT_EQ(given.of.nodes[1].shape.allocatable.of("nvidia.com/gpu"), 1'000);
    EXPECT_EQ(given.of.pools.size(), 1U);
    ASSERT_EQ(given.of.pending.size(), 1U);
    EXPECT_EQ(added_nodes(given.next()), 1);
}

TEST(Reading, KeepsWhatStandsBeforeACut) {
    const std::string whole = list(R"({"kind":"Node","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"1"}}},)"
                                   R"({"kind":"Node","metadata":{"name":"n2"},"status":{"allocatable":{"cpu":"1"}}})");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        scene given = read_scene(whole.substr(0, size));
        EXPECT_LE(given.of.nodes.size(), 2U) << size;
        if (size > 0) {
            EXPECT_GT(given.findings.count(text::severity::error), 0U) << size;
        }
    }
    scene most = read_scene(whole.substr(0, whole.size() - 20));
    ASSERT_EQ(most.of.nodes.size(), 1U);
    EXPECT_TRUE(found(most.findings, "cut-text", "items[1]"));
}

TEST(Reading, TakesYamlDocuments) {
    scene given = read_scene(
        "pools:\n- {id: p, max: 3, allocatable: {cpu: 4000, memory: 8Gi}}\ngroups:\n- name: g\n  count: 2\n  pod: "
        "{requests: {cpu: 3000}}\n"
        "---\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 1}}\n");
    EXPECT_EQ(render(given.findings), "");
    EXPECT_EQ(given.of.nodes.at(0).shape.allocatable.of("cpu"), 1'000);
    EXPECT_EQ(added_nodes(given.next()), 2);
}

TEST(Settings, ReadFlagsAsTheyAreWritten) {
    scene given = read_scene(
        R"({"options":{"expander":"priority,least-waste","scale-down-unneeded-time":"3m","max-empty-bulk-delete":"4",
        "gpu-total":"nvidia.com/gpu:0:16","scan-interval":"10s","expanders":"x","max-nodes-total":"many",
        "priorities":{"10":["h100"],"x":["("]}}})");
    EXPECT_EQ(given.how.expanders.size(), 2U);
    EXPECT_EQ(given.how.unneeded_ms, 180'000);
    EXPECT_EQ(given.how.max_removals, 4);
    EXPECT_EQ(*given.how.bounds.at(0).max, 16);
    EXPECT_TRUE(found(given.findings, "unknown-option", "options.expanders"));
    EXPECT_TRUE(found(given.findings, "option", "options.max-nodes-total"));
    EXPECT_TRUE(given.how.priorities.empty());
}

TEST(Amount, HasItsUnit) {
    EXPECT_EQ(amount_text(cpu_name, 4000), "4 cores");
    EXPECT_EQ(amount_text(cpu_name, 1000), "1 core");
    EXPECT_EQ(amount_text(cpu_name, 250), "250m cpu");
    EXPECT_EQ(amount_text(memory_name, 320LL << 30), "320 GiB memory");
    EXPECT_EQ(amount_text(memory_name, 14884LL << 20), "14.5 GiB memory");
    EXPECT_EQ(amount_text(memory_name, 64LL << 20), "64 MiB memory");
    EXPECT_EQ(amount_text("ephemeral-storage", 100), "100 bytes of ephemeral-storage");
    EXPECT_EQ(amount_text(nvidia_gpu_name, 8), "8 nvidia.com/gpu");
}

TEST(Amount, ABareNumberOfCoresIsAWarning) {
    const scene bare = read_scene(R"({"pools":[{"id":"p","max":1,"allocatable":{"cpu":4,"memory":"64Gi"}}]})");
    EXPECT_TRUE(found(bare.findings, "small-node", "pools[0]"));
    const scene quoted = read_scene(R"({"pools":[{"id":"p","max":1,"allocatable":{"cpu":"4","memory":"64Gi"}}]})");
    EXPECT_TRUE(quoted.findings.findings.empty());
}

}  // namespace
}  // namespace gputide::nodes
