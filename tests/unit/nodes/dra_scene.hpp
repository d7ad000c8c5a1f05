// Kubernetes objects of dynamic resource allocation, as kubectl prints them.
#pragma once

#include "base/format_text.hpp"
#include "scene.hpp"

#include <string>
#include <vector>

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
