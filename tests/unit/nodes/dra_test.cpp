// Plans for pods that claim devices (DRA): the two inputs in which they were once planned as pods without GPUs, and each
// rule of the scheduler's allocator.
#include "nodes/report/json.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::nodes {
namespace {

using namespace dra;  // NOLINT: the objects of a scene

// The scenes have a pool cpu and then a pool gpu, or one pool.
std::int64_t added(const plan& made, std::string_view pool) {
    const std::size_t index = pool == "cpu" ? 0 : made.pools.size() - 1;
    EXPECT_TRUE(pool != "cpu" || made.pools.size() == 2);
    return made.pools[index].add;
}

// Plans for that many pods of one template, on empty nodes with 8 GPUs.
plan plan_for(const std::string& spec, int pods, const std::string& devices = gpus(8), const std::string& more = {}) {
    std::vector<std::string> objects{gpu_class, claim_template("t", spec)};
    for (int i = 0; i < pods; ++i) objects.push_back(pod_object(format_text("p-{}", i), from_template("t")));
    scene given = read(empty_pool(devices, more), objects);
    EXPECT_EQ(render(given.findings), "");
    return given.next();
}

TEST(Dra, BuysANodeWithDevicesAndNoneWithout) {
    const plan made = plan_for(requests(exactly()), 4);
    EXPECT_EQ(added(made, "cpu"), 0);
    EXPECT_EQ(added(made, "gpu"), 1);
    EXPECT_EQ(made.groups[0].on_new, 4);
    EXPECT_EQ(code_of(made.groups[0].rejected.at("cpu").front()), "insufficient_devices:gpu.nvidia.com");
}

// A pod of a DaemonSet goes with its node, so that it keeps none.
TEST(Dra, TheReportNamesThePodThatKeepsItsNode) {
    std::string of_daemon_set = pod_object("agent", named("unlisted"), "gpu-n0");
    of_daemon_set.replace(of_daemon_set.find("ReplicaSet"), 10, "DaemonSet");
    scene given =
        read(one_gpu_pool, {node_object("gpu-n0"), of_daemon_set, pod_object("llm", named("unlisted"), "gpu-n0")});
    const plan made = given.next();
    EXPECT_EQ(made.nodes[0].why, stay::unmodeled_pod);
    EXPECT_NE(plan_json(given.of, made, given.findings, now_ms).find(R"("pod":"default/llm")"), std::string::npos);
}

// 9 of 32 GPUs below different PCIe roots, of which there are 8: a search that tries each combination.
TEST(Dra, ASearchThatIsGivenUpDecidesNothing) {
    const std::string spec =
        R"({"devices":{"requests":[)" + exactly(R"(,"count":9)") +
        R"(],"constraints":[{"requests":["gpu"],"distinctAttribute":"resource.kubernetes.io/pcieRoot"}]}})";
    std::vector<std::string> objects{gpu_class, claim_template("t", spec), pod_object("p-0", from_template("t"))};
    scene given = read(empty_pool(gpus(32)), objects);
    given.how.order = packing_order::ca;  // each order searches anew
    const plan made = given.next();
    EXPECT_EQ(made.groups[0].left, 1);
    EXPECT_EQ(code_of(made.groups[0].rejected.at("gpu").front()), "devices_undecided:gpu.nvidia.com");
    EXPECT_NE(plan_json(given.of, made, given.findings, now_ms)
                  .find(R"("unmodeled":[{"why":"the search for devices of its claims was given up after 100000 steps)"),
              std::string::npos);

    objects.push_back(node_object("gpu-n0"));
    objects.push_back(slice("gpu-n0", gpus(32)));
    scene full = read(R"({"pools":[{"id":"gpu","max":1}]})", objects);
    full.how.order = packing_order::ca;
    const plan on_node = full.next();
    EXPECT_EQ(on_node.groups[0].left, 1);
    EXPECT_TRUE(on_node.groups[0].undecided) << "on an existing node, too";
}

// KEP 5004, where the class selects by what is not modeled.
TEST(Dra, AnExtendedResourceOfAnUnmodeledClassIsNotSilent) {
    const std::string unmodeled_class =
        R"x({"kind":"DeviceClass","metadata":{"name":"gpu.nvidia.com"},"spec":{"extendedResourceName":"nvidia.com/gpu",
        "selectors":[{"cel":{"expression":"device.attributes['a'].b.exists(x, x == 'y')"}}]}})x";
    const std::vector<std::string> objects{unmodeled_class, pod_object("p-0", "", "", R"("nvidia.com/gpu":"1")")};
    scene given = read(empty_pool(gpus(8)), objects);
    const plan made = given.next();
    EXPECT_EQ(made.groups[0].left, 1);
    EXPECT_EQ(code_of(made.groups[0].rejected.at("gpu").front()), "devices_undecided:gpu.nvidia.com");
    EXPECT_NE(
        plan_json(given.of, made, given.findings, now_ms)
            .find(
                R"("unmodeled":[{"why":"its nvidia.com/gpu by dynamic resource allocation: DeviceClass gpu.nvidia.com)"),
        std::string::npos)
        << plan_json(given.of, made, given.findings, now_ms);
}

TEST(Dra, KeepsNodesWhoseDevicesAreHeld) {
    std::vector<std::string> objects{gpu_class, node_object("gpu-n0"), node_object("gpu-n1"), slice("gpu-n0", gpus(8)),
                                     slice("gpu-n1", gpus(8))};
    for (int i = 0; i < 4; ++i) {
        const std::string name = format_text("llm-{}", i);
        const std::string on = format_text("gpu-n{}", i / 2);
        const int first = i % 2 * 4;
        objects.push_back(
            claim("of-" + name, requests(exactly(R"(,"count":4)")), on, {first, first + 1, first + 2, first + 3}));
        objects.push_back(pod_object(name, named("of-" + name), on));
    }
    scene given = read(one_gpu_pool, objects);
    EXPECT_EQ(render(given.findings), "");
    const plan made = given.next();
    for (std::size_t i = 0; i < made.nodes.size(); ++i) {
        EXPECT_EQ(made.nodes[i].why, stay::not_underutilized);
        EXPECT_DOUBLE_EQ(made.nodes[i].utilization->value, 1.0);
        EXPECT_EQ(made.nodes[i].utilization->resource, "gpu.nvidia.com/" + given.of.nodes[i].name);
    }
}

TEST(Dra, MovesPodsOnlyWhereDevicesAreFree) {
    const auto cluster = [](int gpus_of_second) {
        const std::string two_gpus = requests(exactly(R"(,"count":2)"));
        return read(one_gpu_pool, {gpu_class, node_object("gpu-n0"), node_object("gpu-n1"), slice("gpu-n0", gpus(8)),
                                   slice("gpu-n1", gpus(gpus_of_second)), claim("c0", two_gpus, "gpu-n0", {0, 1}),
                                   pod_object("a-0", named("c0"), "gpu-n0"), claim("c1", two_gpus, "gpu-n1", {0, 1}),
                                   pod_object("b-0", named("c1"), "gpu-n1")});
    };
    scene free = cluster(4);
    EXPECT_TRUE(free.next().nodes[0].removal->may_go());
    scene full = cluster(2);
    const plan made = full.next();
    EXPECT_EQ(made.nodes[0].why, stay::no_place_to_move);
    EXPECT_EQ(made.nodes[0].removal->pod, "default/a-0");
}

TEST(Dra, SaysWhatItDoesNotModel) {
    // kubectl get nodes,pods lists no claims: the pods hold what no plan can know.
    scene given =
        read(one_gpu_pool, {node_object("gpu-n0"), node_object("gpu-n1"), pod_object("llm-0", named("c0"), "gpu-n0"),
                            pod_object("new-0", from_template("t"))});
    const plan made = given.next();
    EXPECT_EQ(made.nodes[0].why, stay::unmodeled_pod);
    EXPECT_EQ(made.groups[0].left, 1);
    EXPECT_EQ(made.groups[0].held, waits_for::unmodeled);
    EXPECT_TRUE(made.groups[0].on_nodes.empty());
    const std::string text = plan_json(given.of, made, given.findings, now_ms);
    const std::string expected =
        R"x("unmodeled":[{"why":"its claim \"gpu\": it is not listed (kubectl get resourceclaims -A)","pods":1,)x"
        R"x("first":"default/llm-0"},{"why":"its claim \"gpu\": the ResourceClaimTemplate t is not listed )x"
        R"x((kubectl get resourceclaimtemplates -A)","pods":1,"first":"default/new-0"}])x";
    EXPECT_NE(text.find(expected), std::string::npos) << text;
}

TEST(Dra, LeavesOutClaimsBeyondWhatItModels) {
    const auto why = [](const std::string& spec, const std::string& device = gpu(0),
                        const std::string& more = gpu_class) {
        scene given = read(empty_pool(gpus(8)), {more, claim_template("t", spec), node_object("n"), slice("n", device),
                                                 pod_object("p-0", from_template("t"))});
        EXPECT_EQ(given.next().groups[0].left, 1);
        return given.of.pending[0].pod.placement.unmodeled.front();
    };
    EXPECT_EQ(why(requests(exactly(R"(,"capacity":{"requests":{"memory":"10Gi"}})"))),
              "its claim \"gpu\": a request with capacity");
    EXPECT_EQ(why(requests(exactly(R"(,"allocationMode":"Half")"))), "its claim \"gpu\": allocationMode Half");
    EXPECT_EQ(why(requests(exactly(R"(,"selectors":[{"cel":{"expression":"device.driver.size() == 3"}}])"))),
              "its claim \"gpu\": the selector \"device.driver.size() == 3\" is not supported at character 15: a node "
              "plan evaluates only a subset of CEL");
    EXPECT_EQ(why(requests(exactly()), gpu(0, R"(,"allowMultipleAllocations":true)")),
              "its claim \"gpu\": it may get the device gpu.nvidia.com/n/gpu-0, which has allowMultipleAllocations");
    EXPECT_EQ(why(requests(exactly()), gpu(0), claim_template("other", "{}")),
              "its claim \"gpu\": the DeviceClass gpu.nvidia.com is not listed (kubectl get deviceclasses)");
}

TEST(Dra, AllocatesCountsAndAll) {
    EXPECT_EQ(added(plan_for(requests(exactly(R"(,"count":3)")), 4), "gpu"), 2);
    EXPECT_EQ(added(plan_for(requests(exactly(R"(,"allocationMode":"All")")), 2), "gpu"), 2);
    EXPECT_EQ(added(plan_for(requests(exactly(R"(,"count":9)")), 1), "gpu"), 0);
    EXPECT_EQ(added(plan_for(requests(exactly() + "," + exactly(R"(,"count":2)", "more")), 4), "gpu"), 2);
    // Administrators look at devices that others hold.
    EXPECT_EQ(added(plan_for(requests(exactly(R"(,"allocationMode":"All","adminAccess":true)")), 5), "gpu"), 1);
    EXPECT_EQ(added(plan_for(R"({"devices":{}})", 3), "cpu"), 1);  // an empty claim
}

TEST(Dra, TakesTheFirstAlternativeThatIsAvailable) {
    const std::string large = R"({"name":"large","deviceClassName":"gpu.nvidia.com","count":6})";
    const std::string small = R"({"name":"small","deviceClassName":"gpu.nvidia.com","count":2})";
    const plan made = plan_for(requests(R"({"name":"gpu","firstAvailable":[)" + large + "," + small + "]}"), 2);
    EXPECT_EQ(added(made, "gpu"), 1);  // 6 for one pod, 2 for the other
    const plan more = plan_for(requests(R"({"name":"gpu","firstAvailable":[)" + large + "," + small + "]}"), 3);
    EXPECT_EQ(added(more, "gpu"), 2);
}

TEST(Dra, SelectsDevicesByClassAndClaim) {
    const std::string upper =
        R"(,"count":4,"selectors":[{"cel":{"expression":"device.attributes['gpu.nvidia.com'].index >= 4"}}])";
    EXPECT_EQ(added(plan_for(requests(exactly(upper)), 2), "gpu"), 2);
    const plan failing = plan_for(
        requests(exactly(R"(,"selectors":[{"cel":{"expression":"device.attributes['gpu.nvidia.com'].absent == 1"}}])")),
        1);
    EXPECT_EQ(code_of(failing.groups[0].rejected.at("gpu").front()), "device_selector_error:gpu.nvidia.com");
}

// The scheduler ends the pod's cycle with an error, and tries no other node.
TEST(Dra, HasNoPlaceWhereTheAllocationIsAnErrorOnANode) {
    const auto plan_of = [](const std::string& more, const std::string& second, const std::string& constraints = "",
                            const std::string& taint = "") {
        const std::string tainted = format_text(
            R"({"kind":"Node","metadata":{"name":"n1","labels":{"agentpool":"gpu"}},"spec":{"taints":[{}]},"status":{)"
            R"("allocatable":{"cpu":"96","memory":"1900Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}})",
            taint);
        scene given = read(
            one_gpu_pool,
            {gpu_class, claim_template("t", R"({"devices":{"requests":[)" + exactly(more) + "]" + constraints + "}}"),
             node_object("n0"), tainted, slice("n0", gpus(2)), second, pod_object("p-0", from_template("t"))});
        return given.next().groups[0];
    };
    const std::string index =
        R"(,"selectors":[{"cel":{"expression":"device.attributes['gpu.nvidia.com'].index >= 0"}}])";
    const std::string without = slice("n1", R"({"name":"x","attributes":{"type":{"string":"gpu"}}})");
    const group_result failing = plan_of(index, without);
    EXPECT_EQ(failing.held, waits_for::device_error);
    EXPECT_EQ(failing.on_existing, 0);
    EXPECT_EQ(failing.on_new, 0);
    EXPECT_EQ(plan_of(index, slice("n1", gpus(2))).on_existing, 1);
    // A node that the pod does not fit anyway is not asked.
    EXPECT_EQ(plan_of(index, without, "", R"({"key":"k","effect":"NoSchedule"})").on_existing, 1);
    const std::string all = R"(,"allocationMode":"All")";
    const std::string incomplete =
        format_text(R"({"kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"gpu.nvidia.com",
        "nodeName":"n1","pool":{"name":"n1","generation":1,"resourceSliceCount":2},"devices":[{}]}})",
                    gpus(1));
    EXPECT_EQ(plan_of(all, slice("n1", gpus(2))).on_existing, 1);
    EXPECT_EQ(plan_of(all, incomplete).held, waits_for::device_error);
    EXPECT_EQ(plan_of(R"(,"count":33)", slice("n1", gpus(2))).held, waits_for::device_error);
    EXPECT_EQ(plan_of(all, slice("n1", gpus(2)), R"(,"constraints":[{"matchAttribute":"gpu.nvidia.com/index"}])").held,
              waits_for::device_error);
}

TEST(Dra, KeepsConstraints) {
    const auto with = [](const std::string& constraint, int count) {
        return format_text(R"({"devices":{"requests":[{}],"constraints":[{}]}})",
                           exactly(format_text(R"(,"count":{})", count)), constraint);
    };
    const std::string match = R"({"matchAttribute":"resource.kubernetes.io/pcieRoot"})";
    EXPECT_EQ(added(plan_for(with(match, 4), 2), "gpu"), 1);  // two groups of 4
    EXPECT_EQ(added(plan_for(with(match, 3), 3), "gpu"), 2);  // 3 of each 4
    EXPECT_EQ(added(plan_for(with(match, 5), 1), "gpu"), 0);
    const std::string distinct = R"({"distinctAttribute":"resource.kubernetes.io/pcieRoot"})";
    EXPECT_EQ(added(plan_for(with(distinct, 2), 4), "gpu"), 1);
    EXPECT_EQ(added(plan_for(with(distinct, 3), 1), "gpu"), 0);
}

TEST(Dra, RespectsTaintsOfDevices) {
    const std::string taint = R"(,"taints":[{"key":"broken","effect":"NoSchedule"}])";
    const std::string devices = gpu(0, taint) + "," + gpu(1);
    EXPECT_EQ(added(plan_for(requests(exactly()), 2, devices), "gpu"), 2);
    const std::string tolerant = R"(,"tolerations":[{"key":"broken","operator":"Exists"}])";
    EXPECT_EQ(added(plan_for(requests(exactly(tolerant)), 2, devices), "gpu"), 1);
}

TEST(Dra, AppliesTaintRules) {
    const auto placed = [](const std::string& selector) {
        scene given = read(one_gpu_pool,
                           {gpu_class, claim_template("t", requests(exactly())), node_object("n"), slice("n", gpus(2)),
                            pod_object("p-0", from_template("t")), pod_object("p-1", from_template("t")),
                            format_text(R"({"kind":"DeviceTaintRule","metadata":{"name":"r"},"spec":{{}"taint":{
                                "key":"broken","effect":"NoSchedule"}}})",
                                        selector)});
        EXPECT_EQ(render(given.findings), "");
        return given.next().groups[0].on_existing;
    };
    EXPECT_EQ(placed(R"("deviceSelector":{"driver":"gpu.nvidia.com","pool":"n","device":"gpu-1"},)"), 1);
    EXPECT_EQ(placed(R"("deviceSelector":{"driver":"other.com"},)"), 2);
    EXPECT_EQ(placed(R"("deviceSelector":{},)"), 0);
    EXPECT_EQ(placed(""), 2);
}

TEST(Dra, CountsSharedCountersOfPartitions) {
    // One GPU of 7 slices as a whole, or as partitions of 1 or 3 slices.
    std::string devices;
    const auto add = [&](const std::string& name, int slices) {
        devices += format_text(R"({}{"name":"{}","attributes":{"type":{"string":"gpu"},"slices":{"int":{}}},
            "consumesCounters":[{"counterSet":"gpu-0","counters":{"slices":{"value":"{}"}}}]})",
                               devices.empty() ? "" : ",", name, slices, slices);
    };
    add("whole", 7);
    for (int i = 0; i < 7; ++i) add(format_text("small-{}", i), 1);
    for (int i = 0; i < 2; ++i) add(format_text("large-{}", i), 3);
    const std::string counters = R"(,"sharedCounters":[{"name":"gpu-0","counters":{"slices":{"value":"7"}}}])";
    const auto of = [&](int slices) {
        return requests(exactly(format_text(
            R"(,"selectors":[{"cel":{"expression":"device.attributes['gpu.nvidia.com'].slices == {}"}}])", slices)));
    };
    EXPECT_EQ(added(plan_for(of(1), 7, devices, counters), "gpu"), 1);
    EXPECT_EQ(added(plan_for(of(1), 8, devices, counters), "gpu"), 2);
    EXPECT_EQ(added(plan_for(of(3), 3, devices, counters), "gpu"), 2);
    EXPECT_EQ(added(plan_for(of(7), 2, devices, counters), "gpu"), 2);
}

TEST(Dra, CountsPartialUseOfANode) {
    scene given = read(one_gpu_pool, {gpu_class, node_object("n"), slice("n", gpus(8)),
                                      claim("c", requests(exactly(R"(,"count":2)")), "n", {0, 5}),
                                      pod_object("p-0", named("c"), "n")});
    const plan made = given.next();
    EXPECT_DOUBLE_EQ(made.nodes[0].utilization->value, 0.25);
}

TEST(Dra, ServesExtendedResources) {
    const std::string of_class =
        R"({"kind":"DeviceClass","metadata":{"name":"gpu.nvidia.com"},"spec":{"extendedResourceName":"nvidia.com/gpu",
           "selectors":[{"cel":{"expression":"device.driver == 'gpu.nvidia.com'"}}]}})";
    std::vector<std::string> objects{of_class};
    for (int i = 0; i < 5; ++i)
        objects.push_back(pod_object(format_text("p-{}", i), "", "", R"("nvidia.com/gpu":"2")"));
    scene given = read(empty_pool(gpus(8)), objects);
    const plan made = given.next();
    EXPECT_EQ(added(made, "gpu"), 2);
    EXPECT_EQ(added(made, "cpu"), 0);
    // A node with a device plugin offers the resource itself.
    scene plugin = read(R"({"pools":[{"id":"p","max":9,"allocatable":{"cpu":"96","nvidia.com/gpu":8}}]})", objects);
    EXPECT_EQ(added(plugin.next(), "p"), 2);
}

TEST(Dra, KnowsLabeledNodesByTheirDevices) {
    const std::string label = R"(,"kubernetes.azure.com/accelerator":"nvidia")";
    scene given =
        read(one_gpu_pool, {gpu_class, claim_template("t", requests(exactly(R"(,"count":5)"))), node_object("n", label),
                            slice("n", gpus(8)), claim("c", requests(exactly(R"(,"count":4)")), "n", {0, 1, 2, 3}),
                            pod_object("a-0", named("c"), "n"), pod_object("b-0", from_template("t"))});
    const plan made = given.next();
    EXPECT_EQ(made.nodes[0].state, node_class::ready);
    EXPECT_DOUBLE_EQ(made.nodes[0].utilization->value, 0.5);
    EXPECT_EQ(added(made, "gpu"), 1);
    const plan_use use = use_of(given.of, made);
    EXPECT_EQ(use.before.gpus, 8);
    EXPECT_EQ(use.before.used, 4);
    EXPECT_EQ(use.after.gpus, 16);
    EXPECT_EQ(use.after.used, 9);
}

TEST(Dra, TiesAPodToTheNodeOfItsClaim) {
    scene given =
        read(one_gpu_pool, {gpu_class, node_object("n0"), node_object("n1"), slice("n0", gpus(8)), slice("n1", gpus(8)),
                            claim("c", requests(exactly()), "n1", {0}), pod_object("p-0", named("c"))});
    EXPECT_EQ(given.next().groups[0].on_nodes.at("n1"), 1);
}

TEST(Dra, LeavesClaimsThatPodsShare) {
    scene given = read(empty_pool(gpus(8)), {gpu_class, claim("c", requests(exactly())), pod_object("p-0", named("c")),
                                             pod_object("p-1", named("c"))});
    EXPECT_EQ(given.next().groups[0].left, 2);
    EXPECT_EQ(given.of.pending[0].pod.placement.unmodeled.front(), "its claim \"gpu\": several pods share it");
}

TEST(Dra, WaitsForDevicesOfANewNode) {
    // The second node is up, but its driver has published no slice yet: it counts as on its way, not as full.
    scene given =
        read(R"({"pools":[{"id":"gpu","size":2,"max":10}]})",
             {gpu_class, claim_template("t", requests(exactly(R"(,"count":8)"))), node_object("n0"), node_object("n1"),
              slice("n0", gpus(8)), claim("c", requests(exactly(R"(,"count":8)")), "n0", {0, 1, 2, 3, 4, 5, 6, 7}),
              pod_object("a-0", named("c"), "n0"), pod_object("b-0", from_template("t"))});
    given.of.nodes[1].created_ms = now_ms - 60'000;
    const plan made = given.next();
    EXPECT_EQ(made.nodes[1].state, node_class::not_started);
    EXPECT_EQ(added(made, "gpu"), 0);
    EXPECT_EQ(made.groups[0].on_existing, 1);
}

TEST(Dra, IgnoresIncompletePoolsAndOldGenerations) {
    const auto nodes_for = [](const std::string& generation, const std::string& slices, const std::string& spec) {
        const std::string written = format_text(
            R"({"kind":"ResourceSlice","metadata":{"name":"s{}"},"spec":{"driver":"gpu.nvidia.com","nodeName":"n",
                "pool":{"name":"n","generation":{},"resourceSliceCount":{}},"devices":[{}]}})",
            generation, generation, slices, gpus(2));
        scene given = read(one_gpu_pool, {gpu_class, claim_template("t", spec), node_object("n"), slice("n", gpu(0)),
                                          written, pod_object("p-0", from_template("t"))});
        return given.next().groups[0].on_existing;
    };
    EXPECT_EQ(nodes_for("2", "1", requests(exactly(R"(,"count":2)"))), 1);  // the newer generation
    EXPECT_EQ(nodes_for("2", "2", requests(exactly())), 0);                 // one of its two slices is missing
    EXPECT_EQ(nodes_for("0", "1", requests(exactly(R"(,"count":2)"))), 0);  // older
}

}  // namespace
}  // namespace gputide::nodes
