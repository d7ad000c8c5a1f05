// Kubernetes objects as texts, as kubectl prints them.
#pragma once

#include "scene.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace gputide::nodes {

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
