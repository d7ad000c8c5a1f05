// Clusters for these tests: from a text, and drawn at random from a seed.
#pragma once

#include "nodes/read/snapshot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

namespace gputide::nodes {

inline constexpr std::int64_t now_ms = 1'800'000'000'000;

struct scene {
    cluster of;
    options how;
    text::report findings;
    state before;

    plan next(std::int64_t at_ms = now_ms) { return make_plan(of, how, at_ms, before); }
};

// Puts the pods there one by one; each must fit what is there then.
inline void expect_fits(const placement& asks, std::int64_t count, const node_shape& shape, occupied& taken,
                        const std::string& name) {
    pod added;
    added.placement = asks;
    const occupied more = taken_by({&added, 1});
    for (std::int64_t i = 0; i < count; ++i) {
        const std::vector<reason> against = why_not(asks, shape, taken, name);
        ASSERT_TRUE(against.empty()) << name << ": " << code_of(against.front());
        taken.used.add(more.used);
        taken.ports.insert(taken.ports.end(), more.ports.begin(), more.ports.end());
    }
}

inline scene read_scene(const std::string& text) {
    scene out;
    snapshot all;
    all.read("cluster", text, out.findings);
    out.of = all.finish(out.findings);
    out.how = all.how;
    return out;
}

inline bool found(const text::report& in, std::string_view code, std::string_view path) {
    return std::any_of(in.findings.begin(), in.findings.end(),
                       [&](const text::finding& finding) { return finding.code == code && finding.at.path == path; });
}

class drawing {
  public:
    explicit drawing(unsigned seed) : random_(seed) {}

    std::int64_t from(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
    }
    bool one_in(std::int64_t n) { return from(1, n) == 1; }

    node_shape shape() {
        node_shape out;
        out.allocatable.set(cpu_name, from(8, 96) * 1000);
        out.allocatable.set(memory_name, from(64, 900) << 30);
        out.allocatable.set(pods_name, from(5, 110));
        const std::int64_t gpus = std::int64_t{1} << from(0, 3);
        if (!one_in(4)) out.allocatable.set(nvidia_gpu_name, gpus);
        if (one_in(3)) out.taints.push_back({"sku", "gpu", "NoSchedule"});
        out.labels["zone"] = std::to_string(from(1, 3));
        return out;
    }

    pod_group group(int number) {
        pod_group out;
        out.name = "group-" + std::to_string(number);
        out.count = from(1, 12);
        placement& asks = out.pod.placement;
        asks.requests.set(cpu_name, from(1, 40) * 500);
        asks.requests.set(memory_name, from(1, 200) << 30);
        if (!one_in(3)) asks.requests.set(nvidia_gpu_name, from(1, 8));
        if (!one_in(3)) asks.tolerations.push_back({"sku", "", "gpu", ""});
        if (one_in(6)) asks.node_selector["zone"] = std::to_string(from(1, 3));
        if (one_in(8)) asks.ports.push_back({8080, "TCP", ""});
        out.pod.owner = controller{"ReplicaSet", out.name, out.name, true, {}};
        return out;
    }

    scene any() {
        scene out;
        for (std::int64_t i = from(1, 4); i > 0; --i) {
            pool pool;
            pool.id = "pool-" + std::to_string(i);
            pool.shape = shape();
            pool.max = 1000;
            pool.price_per_hour = static_cast<double>(from(1, 100));
            for (std::int64_t k = from(0, 3); k > 0; --k) {
                node each;
                each.name = pool.id + "-" + std::to_string(k);
                each.pool = pool.id;
                each.shape = *pool.shape;
                ++pool.size;
                out.of.nodes.push_back(std::move(each));
            }
            out.of.pools.push_back(std::move(pool));
        }
        for (std::int64_t i = from(1, 12); i > 0; --i) out.of.pending.push_back(group(static_cast<int>(i)));
        out.how.expanders = {static_cast<expander>(from(0, 8)), expander::gpu_waste};
        if (one_in(3)) out.how.order = packing_order::ca;
        out.how.balance_similar = one_in(3);
        return out;
    }

  private:
    std::mt19937 random_;
};

// Pods that a plan finds a place for.
inline std::int64_t placed_pods(const plan& made) {
    std::int64_t sum = 0;
    for (const group_result& group : made.groups) sum += group.on_existing + group.on_new;
    return sum;
}

inline std::int64_t added_nodes(const plan& made) {
    std::int64_t sum = 0;
    for (const pool_result& pool : made.pools) sum += pool.add;
    return sum;
}

}  // namespace gputide::nodes
