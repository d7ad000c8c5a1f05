#include "nodes/nodes.hpp"

#include <cctype>
#include <cstdint>

namespace gputided {

namespace {

// cluster-autoscaler adds no nodes for pods below its expendable-pods-priority-cutoff, which is -10 by default.
constexpr const char* priority_class =
    "apiVersion: scheduling.k8s.io/v1\n"
    "kind: PriorityClass\n"
    "metadata:\n"
    "  name: gputide-placeholder\n"
    "value: -10\n"
    "preemptionPolicy: Never\n"
    "globalDefault: false\n"
    "description: \"Reserves nodes until pods need them.\"\n";

// Returns a JSON string, which is also valid YAML.  Strings in the plan are written in the same way.
std::string quoted(const std::string& text) { return json(text).dump(); }

// Returns "gpu-standard-nc40ads-h100-v5" for "gpu/Standard_NC40ads_H100_v5": a valid Kubernetes name and label value.
std::string plain_name(const std::string& pool) {
    constexpr std::size_t max_size = 40;  // of 63, because a prefix and a suffix are added
    std::string out;
    for (const char letter : pool) {
        const auto byte = static_cast<unsigned char>(letter);
        if (std::isalnum(byte) != 0) {
            out += static_cast<char>(std::tolower(byte));
        } else if (!out.empty() && out.back() != '-') {
            out += '-';
        }
        if (out.size() == max_size) break;
    }
    while (!out.empty() && out.back() == '-') out.pop_back();
    return out.empty() ? "pool" : out;
}

// Returns GPUs and other devices, which are the resources with a domain in their name.
json devices_of(const json& offers) {
    json out = json::object();
    for (const auto& [name, amount] : offers.items()) {
        const bool is_device = name.find('/') != std::string::npos && name.rfind("kubernetes.io/", 0) != 0;
        if (is_device && amount.get<std::int64_t>() > 0) out[name] = amount;
    }
    return out;
}

std::string selector_lines(const json& selector, const std::string& indent) {
    if (selector.empty()) return "";
    std::string out = indent + "nodeSelector:\n";
    for (const auto& [key, value] : selector.items()) out += indent + "  " + quoted(key) + ": " + value.dump() + "\n";
    return out;
}

std::string toleration_lines(const json& taints, const std::string& indent) {
    std::string out;
    for (const json& taint : taints) {
        if (taint.at("effect") == "PreferNoSchedule") continue;
        out += out.empty() ? indent + "tolerations:\n" : "";
        out += indent + "- key: " + taint.at("key").dump() + "\n" + indent + "  operator: Equal\n" + indent +
               "  value: " + taint.at("value").dump() + "\n" + indent + "  effect: " + taint.at("effect").dump() + "\n";
    }
    return out;
}

// Returns the lines by which a pod takes a whole node of the pool.
std::string pod_lines(const json& pool, const json& devices, const std::string& indent) {
    std::string out;
    if (pool.at("selector").empty())
        out +=
            indent + "# No label selects only the nodes of " + pool.at("id").dump() + ": give the pool its labels.\n";
    out += selector_lines(pool.at("selector"), indent) + toleration_lines(pool.at("taints"), indent);
    out += indent + "containers:\n" + indent + "- name: pause\n" + indent + "  image: registry.k8s.io/pause:3.10\n" +
           indent + "  resources:\n" + indent + "    limits:\n";
    for (const auto& [resource, amount] : devices.items())
        out += indent + "      " + quoted(resource) + ": " + amount.dump() + "\n";
    return out;
}

// Returns the number of nodes to hold: new ones, and those that an earlier output holds for pods of this plan.
std::string nodes_to_hold(const json& pool) {
    return std::to_string(pool.at("add").get<std::int64_t>() + pool.value("held", std::int64_t{0}));
}

std::string deployment(const json& pool, const json& devices) {
    const std::string name = plain_name(text_at(pool, "id"));
    return "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: gputide-placeholder-" + name +
           "\nspec:\n  replicas: " + nodes_to_hold(pool) +
           "\n  selector:\n    matchLabels:\n      gputide.io/placeholder: " + quoted(name) +
           "\n  template:\n    metadata:\n      labels:\n        gputide.io/placeholder: " + quoted(name) +
           "\n    spec:\n      priorityClassName: gputide-placeholder\n"
           "      terminationGracePeriodSeconds: 0\n" +
           pod_lines(pool, devices, "      ");
}

std::string buffer(const json& pool, const json& devices) {
    const std::string name = "gputide-buffer-" + plain_name(text_at(pool, "id"));
    return "---\napiVersion: v1\nkind: PodTemplate\nmetadata:\n  name: " + name + "\ntemplate:\n  spec:\n" +
           pod_lines(pool, devices, "    ") +
           "---\napiVersion: autoscaling.x-k8s.io/v1beta1\nkind: CapacityBuffer\nmetadata:\n  name: " + name +
           "\n  labels:\n    gputide.io/placeholder: " + quoted(plain_name(text_at(pool, "id"))) +
           "\nspec:\n  provisioningStrategy: buffer.x-k8s.io/active-capacity\n  podTemplateRef:\n    name: " + name +
           "\n  replicas: " + nodes_to_hold(pool) + "\n";
}

}  // namespace

std::string placeholder_pods(const json& plan) {
    std::string out = priority_class;
    for (const json& pool : plan.at("pools")) {
        if (const json devices = devices_of(pool.at("offers")); !devices.empty()) out += deployment(pool, devices);
    }
    return out;
}

std::string capacity_buffers(const json& plan) {
    std::string out;
    for (const json& pool : plan.at("pools")) {
        if (const json devices = devices_of(pool.at("offers")); !devices.empty()) out += buffer(pool, devices);
    }
    return out;
}

}  // namespace gputided
