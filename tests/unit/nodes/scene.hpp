// Clusters for these tests: from a text, drawn at random from a seed, and as Kubernetes objects that kubectl prints.
#pragma once

#include "base/format_text.hpp"
#include "nodes/read/snapshot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

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

// ---- Kubernetes objects.

// Replaces each @ by the next value.
inline std::string filled(std::string_view pattern, std::initializer_list<std::string_view> values) {
    std::string out;
    const auto* value = values.begin();
    for (const char letter : pattern) {
        if (letter == '@') {
            out += *value++;
        } else {
            out += letter;
        }
    }
    return out;
}

// Kubernetes objects as kubectl prints them; `more` are further members of spec.
inline std::string pod_text(std::string_view name, std::string_view requests, std::string_view more,
                            std::string_view status, std::string_view owner = "ReplicaSet",
                            std::string_view labels = "{}") {
    return filled(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"@","namespace":"default","labels":@,"ownerReferences":[)"
        R"({"kind":"@","name":"o","uid":"o","controller":true}]},"spec":{"containers":[{"name":"c","resources":)"
        R"({"requests":@}}]@},"status":@})"
        "\n---\n",
        {name, labels, owner, requests, more, status});
}

inline constexpr std::string_view a_gpu = R"({"nvidia.com/gpu":"1"})";
inline constexpr std::string_view waits = R"({"phase":"Pending"})";
inline constexpr std::string_view runs = R"({"phase":"Running"})";

inline std::string on_node(std::string_view node) { return filled(R"(,"nodeName":"@")", {node}); }

inline std::string node_text(std::string_view name, std::string_view resources, std::string_view spec = "",
                             std::string_view labels = "") {
    return filled(
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"@","creationTimestamp":"2027-01-15T07:59:00Z","labels":)"
        R"({"kubernetes.azure.com/agentpool":"gpu","kubernetes.io/hostname":"@"@}},"spec":{@},"status":)"
        R"({"capacity":@,"allocatable":@,"conditions":[{"type":"Ready","status":"True"}]}})"
        "\n---\n",
        {name, name, labels, spec, resources, resources});
}

inline constexpr std::string_view gpu_node = R"({"cpu":"40","memory":"320Gi","pods":"110","nvidia.com/gpu":"1"})";

}  // namespace gputide::nodes

// Kubernetes objects of dynamic resource allocation.
namespace gputide::nodes::dra {

inline constexpr const char* gpu_class =
    R"({"kind":"DeviceClass","metadata":{"name":"gpu.nvidia.com"},"spec":{"selectors":[{"cel":{"expression":
       "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"}}]}})";

inline std::string gpu(int number, const std::string& more = {}) {
    return format_text(R"({"name":"gpu-{}","attributes":{"type":{"string":"gpu"},"index":{"int":{}},
        "resource.kubernetes.io/pcieRoot":{"string":"pci-{}"}},"capacity":{"memory":{"value":"80Gi"}}{}})",
                       number, number, number / 4, more);
}

inline std::string gpus(int count) {
    std::string out = gpu(0);
    for (int i = 1; i < count; ++i) out += "," + gpu(i);
    return out;
}

inline std::string slice(const std::string& node, const std::string& devices, const std::string& more = {}) {
    return format_text(R"({"kind":"ResourceSlice","metadata":{"name":"{}-gpus{}"},"spec":{"driver":"gpu.nvidia.com",
        "nodeName":"{}","pool":{"name":"{}","generation":1,"resourceSliceCount":1},"devices":[{}]}})",
                       node, more, node, node, devices);
}

inline std::string requests(const std::string& list) { return R"({"devices":{"requests":[)" + list + "]}}"; }

inline std::string exactly(const std::string& more = {}, const std::string& name = "gpu") {
    return format_text(R"({"name":"{}","exactly":{"deviceClassName":"gpu.nvidia.com"{}}})", name, more);
}

inline std::string claim_template(const std::string& name, const std::string& spec) {
    return format_text(
        R"({"kind":"ResourceClaimTemplate","metadata":{"name":"{}","namespace":"default"},"spec":{"spec":{}}})", name,
        spec);
}

// An allocated claim; devices by number on the node.
inline std::string claim(const std::string& name, const std::string& spec, const std::string& node = {},
                         const std::vector<int>& devices = {}) {
    std::string results;
    for (const int device : devices)
        results += format_text(R"({}{"request":"gpu","driver":"gpu.nvidia.com","pool":"{}","device":"gpu-{}"})",
                               results.empty() ? "" : ",", node, device);
    const std::string allocation =
        format_text(R"({"allocation":{"devices":{"results":[{}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[
            {"key":"metadata.name","operator":"In","values":["{}"]}]}]}}})",
                    results, node);
    return format_text(
        R"({"kind":"ResourceClaim","metadata":{"name":"{}","namespace":"default"},"spec":{},"status":{}})", name, spec,
        node.empty() ? "{}" : allocation);
}

inline std::string node_object(const std::string& name, const std::string& more = {}) {
    return format_text(R"({"kind":"Node","metadata":{"name":"{}","labels":{"agentpool":"gpu"{}}},"status":{
        "allocatable":{"cpu":"96","memory":"1900Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}})",
                       name, more);
}

// `references` is the content of spec.resourceClaims.
inline std::string pod_object(const std::string& name, const std::string& references, const std::string& on_node = {},
                              const std::string& limits = R"("cpu":"2")") {
    const std::string where = on_node.empty() ? std::string() : format_text(R"("nodeName":"{}",)", on_node);
    return format_text(R"({"kind":"Pod","metadata":{"name":"{}","namespace":"default","uid":"{}","ownerReferences":[
        {"kind":"ReplicaSet","name":"o","uid":"o-{}","controller":true}]},"spec":{{}"containers":[{"name":"c","resources":
        {"limits":{{}}}}],"resourceClaims":[{}]},"status":{"phase":"{}"}})",
                       name, name, name.substr(0, name.find('-')), where, limits, references,
                       on_node.empty() ? "Pending" : "Running");
}

inline std::string from_template(const std::string& name) {
    return format_text(R"({"name":"gpu","resourceClaimTemplateName":"{}"})", name);
}

inline std::string named(const std::string& name) {
    return format_text(R"({"name":"gpu","resourceClaimName":"{}"})", name);
}

inline scene read(const std::string& pools, const std::vector<std::string>& objects) {
    scene out;
    snapshot all;
    all.read("pools", pools, out.findings);
    std::string list;
    for (const std::string& object : objects) list += (list.empty() ? "" : ",") + object;
    all.read("cluster", R"({"kind":"List","apiVersion":"v1","items":[)" + list + "]}", out.findings);
    out.of = all.finish(out.findings);
    out.how = all.how;
    return out;
}

inline constexpr const char* one_gpu_pool = R"({"pools":[{"id":"gpu","max":10,"price_per_hour":98.32}]})";

// A pool without nodes, and the devices that its nodes will have.
inline std::string empty_pool(const std::string& devices, const std::string& more = {}) {
    return format_text(
        R"({"pools":[{"id":"cpu","max":10,"price_per_hour":0.8,"allocatable":{"cpu":"16","memory":"64Gi","pods":110}},
        {"id":"gpu","max":10,"price_per_hour":98.32,"allocatable":{"cpu":"96","memory":"1900Gi","pods":110},
        "resource_slices":[{"driver":"gpu.nvidia.com","devices":[{}]{}}]}]})",
        devices, more);
}

}  // namespace gputide::nodes::dra
