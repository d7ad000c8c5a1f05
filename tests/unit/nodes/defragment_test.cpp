// Moves of running pods that free a node for pods which would otherwise need a new one.
#include "nodes/report/json.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace gputide::nodes {
namespace {

const std::string defragment_pools = R"({"pools":[{"id":"gpu","size":3,"max":9,"price_per_hour":98.32,
    "allocatable":{"cpu":"96","memory":"1900Gi","nvidia.com/gpu":8}}],"nodes":[)";

std::string gpu_node_text(const std::string& name, const std::string& pods) {
    return R"({"name":")" + name +
           R"(","pool":"gpu","allocatable":{"cpu":"96","memory":"1900Gi","nvidia.com/gpu":8},"pods":[)" + pods + "]}";
}

std::string gpu_pod_text(const std::string& name, int gpus, const std::string& more = {}) {
    return R"({"name":")" + name + R"(","requests":{"cpu":"4","nvidia.com/gpu":)" + std::to_string(gpus) + "}" + more +
           "}";
}

// Three nodes of 8 GPUs with 2, 4 and 5 of them in use, and a pod that needs 8.
scene with_small_pods(const std::string& more = {}, const std::string& settings = {}) {
    return read_scene(
        defragment_pools + gpu_node_text("a", gpu_pod_text("a-0", 1, more) + "," + gpu_pod_text("a-1", 1, more)) + "," +
        gpu_node_text("b", gpu_pod_text("b-0", 4, more)) + "," + gpu_node_text("c", gpu_pod_text("c-0", 5, more)) +
        R"(],"groups":[{"name":"train","count":1,"pod":{"requests":{"nvidia.com/gpu":8}}}],"options":{)" + settings +
        "}}");
}

TEST(Defragment, NamesTheMovesThatFreeANode) {
    scene given = with_small_pods();
    const plan made = given.next();
    EXPECT_EQ(added_nodes(made), 1);  // the plan itself is as without them
    const defragmentation& found = made.defragmentation;
    ASSERT_EQ(found.moves.size(), 2U);
    EXPECT_EQ(found.saved.size(), 1U);
    EXPECT_DOUBLE_EQ(found.saved_cost_per_hour, 98.32);
    EXPECT_NE(plan_json(given.of, made, given.findings, now_ms)
                  .find(R"("defragment":{"applied":false,"nodes":1,"saves_per_hour":98.32,"moves":[)"
                        R"({"pod":"a-0","from":"a","to":"c"},{"pod":"a-1","from":"a","to":"c"}],"places":[)"
                        R"({"group":"train","node":"a","instead_of":"new_node"}]})"),
              std::string::npos)
        << plan_json(given.of, made, given.findings, now_ms);
}

TEST(Defragment, CountsOnTheMovesIfAsked) {
    scene given = with_small_pods({}, R"("defragment":true)");
    const plan made = given.next();
    EXPECT_EQ(added_nodes(made), 0);
    EXPECT_EQ(made.groups[0].on_existing, 1);
    EXPECT_EQ(made.groups[0].on_new, 0);
    EXPECT_TRUE(made.passes.empty());
    EXPECT_DOUBLE_EQ(made.added_cost_per_hour, 0.0);
    const plan_use use = use_of(given.of, made);
    EXPECT_EQ(use.nodes[0].used_after, 8);
    EXPECT_EQ(use.nodes[2].used_after, 7);
    EXPECT_EQ(made.nodes[0].why, stay::not_underutilized);
}

TEST(Defragment, MovesNoPodThatHasToStay) {
    for (const std::string& more : {std::string(R"(,"owner":null)"), std::string(R"(,"local_storage":true)"),
                                    std::string(R"(,"safe_to_evict":"false")"), std::string(R"(,"owner":"DaemonSet")"),
                                    std::string(R"(,"budgets":["web"])"), std::string(R"(,"spread":true)")}) {
        scene given = with_small_pods(more);
        given.of.budgets["web"] = 0;
        EXPECT_TRUE(given.next().defragmentation.moves.empty()) << more;
    }
}

TEST(Defragment, FindsAPlaceForAPodThatNoPoolTakes) {
    scene given = with_small_pods({}, R"("max-nodes-total":3)");
    const plan made = given.next();
    EXPECT_EQ(made.groups[0].left, 1);
    EXPECT_EQ(made.defragmentation.moves.size(), 2U);
    EXPECT_TRUE(made.defragmentation.saved.empty());
    given = with_small_pods({}, R"("max-nodes-total":3,"defragment":true)");
    EXPECT_EQ(given.next().groups[0].left, 0);
}

TEST(Defragment, IsNotPartOfAStrictPlan) {
    EXPECT_TRUE(with_small_pods({}, R"("strict":true)").next().defragmentation.moves.empty());
}

// Nodes with pods on them, and pods that wait.
scene crowded(unsigned seed) {
    drawing random(seed);
    scene out = random.any();
    out.how.order.reset();
    int number = 100;
    for (node& each : out.of.nodes) {
        for (int i = 0; i < 6; ++i) {
            pod_group some = random.group(++number);
            some.pod.name = some.name;
            if (random.one_in(3)) some.pod.budgets.push_back("budget");
            if (random.one_in(6)) some.pod.owner.reset();
            if (why_not(some.pod.placement, each.shape, taken_by(each.pods)).empty()) each.pods.push_back(some.pod);
        }
    }
    out.of.budgets["budget"] = random.from(0, 3);
    for (pool& pool : out.of.pools) pool.max = random.one_in(2) ? 1000 : pool.size;
    return out;
}

// Makes the moves and then places the pods that wait; each must fit what is there then.
void check_moves(const scene& given, const plan& made, unsigned seed) {
    SCOPED_TRACE(seed);
    std::vector<node> nodes = given.of.nodes;
    std::set<std::pair<std::uint32_t, std::uint32_t>> moved;
    std::int64_t disrupted = 0;
    const auto taken_on = [&](std::uint32_t number) {
        std::vector<pod> there;
        for (std::uint32_t i = 0; i < nodes[number].pods.size(); ++i) {
            if (!moved.contains({number, i})) there.push_back(nodes[number].pods[i]);
        }
        return taken_by(there);
    };
    for (const move& each : made.defragmentation.moves) {
        EXPECT_LT(each.pod, given.of.nodes[each.from].pods.size()) << seed;
        const pod moving = nodes[each.from].pods[each.pod];
        EXPECT_TRUE(moved.insert({each.from, each.pod}).second) << seed;
        EXPECT_TRUE(moving.owner.has_value()) << seed;
        disrupted += moving.budgets.empty() ? 0 : 1;
        occupied taken = taken_on(each.to);
        expect_fits(moving.placement, 1, nodes[each.to].shape, taken, nodes[each.to].name);
        nodes[each.to].pods.push_back(moving);
    }
    EXPECT_LE(disrupted, given.of.budgets.at("budget")) << seed;
    std::map<std::string, occupied> on_nodes;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) on_nodes[nodes[i].name] = taken_on(i);
    const auto place = [&](std::size_t group, const std::string& name, std::int64_t count) {
        const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const node& node) { return node.name == name; });
        expect_fits(given.of.pending[group].pod.placement, count, at->shape, on_nodes[name], name);
    };
    for (std::size_t i = 0; i < made.groups.size(); ++i) {
        for (const auto& [name, count] : made.groups[i].on_nodes) place(i, name, count);
    }
    if (made.defragmentation.applied) return;
    for (const place_after_moves& each : made.defragmentation.places) place(each.group, each.node, 1);
}

TEST(DefragmentLaw, EachMoveIsFeasibleAndTheCostNeverHigher) {
    int with_moves = 0;
    for (unsigned seed = 0; seed < 600; ++seed) {
        scene given = crowded(seed);
        const plan usual = given.next();
        check_moves(given, usual, seed);
        scene again = crowded(seed);
        again.how.defragment = true;
        const plan made = again.next();
        check_moves(again, made, seed);
        with_moves += made.defragmentation.moves.empty() ? 0 : 1;
        EXPECT_EQ(made.defragmentation.moves.empty(), made.defragmentation.places.empty()) << seed;
        EXPECT_LE(made.added_cost_per_hour, usual.added_cost_per_hour + 1e-9) << seed;
        EXPECT_LE(added_nodes(made), added_nodes(usual)) << seed;
        EXPECT_GE(placed_pods(made), placed_pods(usual)) << seed;
        for (std::size_t i = 0; i < made.groups.size(); ++i) {
            const group_result& group = made.groups[i];
            EXPECT_GE(group.on_new, 0) << seed;
            EXPECT_LE(group.left, usual.groups[i].left) << seed;
            EXPECT_EQ(group.on_existing + group.on_new + group.left, again.of.pending[i].count) << seed;
        }
    }
    EXPECT_GT(with_moves, 20);
}

}  // namespace
}  // namespace gputide::nodes
