// Invariants of every plan, on random clusters.
#include "scene.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace gputide::nodes {
namespace {

constexpr unsigned seeds = 400;

TEST(PlanLaw, NoPodIsPlacedWhereFitSaysNo) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        scene given = drawing(seed).any();
        const plan made = given.next();
        std::map<std::string, occupied> on_nodes;
        std::map<std::string, const node_shape*> shapes;
        for (const node& node : given.of.nodes) shapes[node.name] = &node.shape;
        for (std::size_t i = 0; i < made.groups.size(); ++i) {
            for (const auto& [name, count] : made.groups[i].on_nodes)
                expect_fits(given.of.pending[i].pod.placement, count, *shapes.at(name), on_nodes[name], name);
        }
        for (const pass& pass : made.passes) {
            if (pass.pool == no_pool) continue;  // no option was chosen
            const pool& grown = given.of.pools.at(pass.pool);
            for (const auto& on_node : pass.nodes) {
                occupied taken;
                taken.used = grown.shape->daemon_requests;
                for (const placed_group& each : on_node)
                    expect_fits(given.of.pending[each.group].pod.placement, each.count, *grown.shape, taken, grown.id);
            }
        }
    }
}

TEST(PlanLaw, EveryPodIsCountedOnce) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        scene given = drawing(seed).any();
        const plan made = given.next();
        for (std::size_t i = 0; i < made.groups.size(); ++i) {
            const group_result& result = made.groups[i];
            EXPECT_EQ(result.on_existing + result.on_new + result.left, given.of.pending[i].count) << seed;
            EXPECT_GE(result.left, 0) << seed;
        }
    }
}

TEST(PlanLaw, AnEmptyReadyNodeMoreNeverPlacesFewerPods) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        drawing random(seed);
        scene given = random.any();
        scene larger = given;
        node more;
        more.name = "more";
        more.shape = random.shape();
        larger.of.nodes.push_back(more);
        EXPECT_GE(placed_pods(larger.next()), placed_pods(given.next())) << seed;
    }
}

TEST(PlanLaw, EqualInputGivesEqualOutput) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        scene once = drawing(seed).any();
        scene again = drawing(seed).any();
        const plan first = once.next();
        const plan second = again.next();
        EXPECT_EQ(added_nodes(first), added_nodes(second)) << seed;
        ASSERT_EQ(first.passes.size(), second.passes.size()) << seed;
        for (std::size_t i = 0; i < first.passes.size(); ++i)
            EXPECT_EQ(first.passes[i].pool, second.passes[i].pool) << seed;
    }
}

// Adds the nodes of a plan, empty, as nodes on their way are.
void apply(const plan& made, scene& to) {
    for (std::size_t i = 0; i < to.of.pools.size(); ++i) {
        pool& pool = to.of.pools[i];
        for (std::int64_t k = 0; k < made.pools[i].add; ++k) {
            node each;
            each.name = pool.id + "-new-" + std::to_string(pool.size++);
            each.pool = pool.id;
            each.shape = *pool.shape;
            to.of.nodes.push_back(std::move(each));
        }
    }
}

TEST(PlanLaw, PlansEndAndThenAddNothing) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        scene given = drawing(seed).any();
        given.how.max_passes = seed % 2 == 0 ? 1 : 100;
        int plans = 0;
        for (; plans < 200; ++plans) {
            const plan made = given.next();
            if (added_nodes(made) == 0) break;
            apply(made, given);
        }
        ASSERT_LT(plans, 200) << seed;
        EXPECT_EQ(added_nodes(given.next()), 0) << seed;
    }
}

// Pods without a place, money and nodes, in this order.
std::tuple<std::int64_t, double, std::int64_t> cost_of(const plan& made) {
    std::int64_t left = 0;
    for (const group_result& group : made.groups) left += group.left;
    return {left, made.added_cost_per_hour, added_nodes(made)};
}

// In every other cluster the first pods are gangs of two groups each, and the pools have few nodes.
scene with_gangs(unsigned seed) {
    scene out = drawing(seed).any();
    if (seed % 2 == 0) return out;
    for (std::size_t i = 0; i + 1 < out.of.pending.size(); ++i) {
        const std::string name = "gang-" + std::to_string(i / 2);
        out.of.pending[i].pod.gang = name;
        out.of.gangs[name];
    }
    for (pool& pool : out.of.pools) pool.max = pool.size + 4;
    return out;
}

TEST(PlanLaw, NoOrderIsBetterThanTheDefault) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        scene given = with_gangs(seed);
        given.how.order.reset();
        const plan made = given.next();
        EXPECT_LE(min_new_nodes(given.of, made), added_nodes(made)) << seed;
        for (const packing_order order : {packing_order::ca, packing_order::gpu, packing_order::largest}) {
            scene other = with_gangs(seed);
            other.how.order = order;
            EXPECT_LE(cost_of(made), cost_of(other.next())) << seed;
        }
    }
}

TEST(Bound, PodsOfMoreThanHalfANodeDoNotShareOne) {
    scene given = read_scene(
        R"({"pools":[{"id":"p","max":99,"allocatable":{"cpu":"96","memory":"384Gi","nvidia.com/gpu":8}}],"groups":[)"
        R"({"name":"nine","count":9,"pod":{"requests":{"nvidia.com/gpu":5}}}]})");
    EXPECT_EQ(min_new_nodes(given.of, given.next()), 9);
    given = read_scene(
        R"({"pools":[{"id":"p","max":99,"allocatable":{"cpu":"96","memory":"384Gi","nvidia.com/gpu":8}}],"groups":[)"
        R"({"name":"cpu","count":6,"pod":{"requests":{"cpu":"60","memory":"16Gi","nvidia.com/gpu":1}}},)"
        R"({"name":"gpu","count":6,"pod":{"requests":{"cpu":"30","memory":"16Gi","nvidia.com/gpu":2}}}]})");
    const plan made = given.next();
    EXPECT_EQ(added_nodes(made), 6);
    EXPECT_EQ(min_new_nodes(given.of, made), 6);
}

TEST(PlanLaw, BoundsHold) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        drawing random(seed);
        scene given = random.any();
        for (pool& pool : given.of.pools) pool.max = pool.size + random.from(0, 4);
        given.how.max_nodes_total =
            random.one_in(2) ? 0 : static_cast<std::int64_t>(given.of.nodes.size()) + random.from(0, 5);
        given.how.bounds = {{std::string(nvidia_gpu_name), 0, random.from(0, 40)}};
        const plan made = given.next();
        std::int64_t gpus = 0;
        std::int64_t nodes = 0;
        for (std::size_t i = 0; i < made.pools.size(); ++i) {
            const pool& pool = given.of.pools[i];
            EXPECT_LE(pool.size + made.pools[i].add, std::max(pool.size, pool.max)) << seed;
            gpus += made.pools[i].add == 0
                        ? 0
                        : (pool.size + made.pools[i].add) * pool.shape->allocatable.of(nvidia_gpu_name);
            nodes += pool.size + made.pools[i].add;
        }
        if (added_nodes(made) == 0) continue;
        if (given.how.max_nodes_total > 0) {
            EXPECT_LE(nodes, given.how.max_nodes_total) << seed;
        }
        const bool of_gpus = std::any_of(made.passes.begin(), made.passes.end(), [&](const pass& pass) {
            return pass.pool != no_pool && given.of.pools.at(pass.pool).shape->allocatable.of(nvidia_gpu_name) > 0;
        });
        if (of_gpus) {
            EXPECT_LE(gpus, *given.how.bounds.front().max) << seed;
        }
    }
}

TEST(RemovalLaw, TheDearestNodesGoFirst) {
    const std::string allocatable = R"("allocatable":{"cpu":"8","memory":"64Gi"}})";
    scene given = read_scene(R"({"pools":[{"id":"cheap","price_per_hour":1,"size":2,"max":2,)" + allocatable +
                             R"(,{"id":"dear","price_per_hour":9,"size":2,"max":2,)" + allocatable +
                             R"(],"nodes":[{"name":"a","pool":"cheap",)" + allocatable +
                             R"(,{"name":"b","pool":"dear",)" + allocatable + R"(,{"name":"c","pool":"dear",)" +
                             allocatable + R"(],"options":{"max-scale-down-parallelism":2}})");
    given.how.unneeded_ms = given.how.unready_ms = -1;
    const plan made = given.next();
    EXPECT_EQ(made.nodes[0].why, stay::parallelism);
    EXPECT_EQ(made.nodes[1].why, stay::no_reason);
    EXPECT_EQ(made.nodes[2].why, stay::no_reason);
    EXPECT_DOUBLE_EQ(made.saved_cost_per_hour, 18.0);
}

TEST(RemovalLaw, WhatMayGoLeavesAPlaceForEveryPod) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        drawing random(seed);
        scene given = random.any();
        for (node& node : given.of.nodes) {
            pod_group some = random.group(1);
            for (int i = 0; i < 3; ++i) {
                if (why_not(some.pod.placement, node.shape, taken_by(node.pods)).empty()) node.pods.push_back(some.pod);
            }
        }
        given.of.pending.clear();
        given.how.unneeded_ms = given.how.unready_ms = -1;
        given.how.utilization_threshold = given.how.gpu_utilization_threshold = 1.0;
        const plan made = given.next();
        std::vector<occupied> taken;
        for (const node& node : given.of.nodes) taken.push_back(taken_by(node.pods));
        const auto goes = [&](std::size_t number) {
            const std::optional<removal>& of = made.nodes[number].removal;
            return of && of->may_go();
        };
        for (std::size_t i = 0; i < made.nodes.size(); ++i) {
            if (!goes(i)) continue;
            for (const move& entry : made.nodes[i].removal->moves) {
                // Empty nodes are accepted first, and take nothing from then on; from others what came moves on.
                EXPECT_FALSE(goes(entry.to) && made.nodes[entry.to].removal->empty) << seed;
                if (goes(entry.to)) continue;
                const pod& moved = given.of.nodes[entry.from].pods[entry.pod];
                expect_fits(moved.placement, 1, given.of.nodes[entry.to].shape, taken[entry.to],
                            given.of.nodes[entry.to].name);
            }
        }
    }
}

}  // namespace
}  // namespace gputide::nodes
